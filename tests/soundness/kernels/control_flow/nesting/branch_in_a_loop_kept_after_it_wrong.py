# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    width = 0
    for i in range(n):
        if i < 3:
            width = 1
        else:
            width = 2
    assert width <= 1
