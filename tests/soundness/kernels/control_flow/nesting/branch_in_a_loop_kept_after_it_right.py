# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    width = 1
    for i in range(n):
        if i < 3:
            width = 1
        else:
            width = 2
    assert width == (2 if n > 3 else 1)
