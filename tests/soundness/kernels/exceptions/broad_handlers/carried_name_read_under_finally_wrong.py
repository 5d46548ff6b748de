# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    x = 0
    for i in range(n):
        y = 1
        try:
            y = x * x + 1
        finally:
            assert y == 1
            x = y
            continue
