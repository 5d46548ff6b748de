# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [0] * n
    if n > 2:
        values[2] = 1
        assert values[2] == 0
