# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    held = None
    for i in range(n):
        if i == 4:
            held = i
    assert n <= 4 or held + 1 < 5
