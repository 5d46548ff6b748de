# expect: 1 FAILED|UNKNOWN
# dims: 0..

def step(i):
    try:
        if i == 2:
            raise ValueError(i)
    except ValueError:
        raise
    return 0

def kernel(n):
    for i in range(n):
        x = 0
        try:
            x = step(i)
        except ValueError:
            x = 1
        assert x == 0
