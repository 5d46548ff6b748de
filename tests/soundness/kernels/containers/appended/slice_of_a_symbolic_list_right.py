# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    values = [i for i in range(n)]
    rest = values[1:]
    if n > 0:
        assert len(rest) == n - 1
        for i in range(n - 1):
            assert rest[i] == i + 1
