# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [0, 0, 1]
    for i in range(n):
        assert values[0] == 0
        values[:] = values[1:] + values[:1]
