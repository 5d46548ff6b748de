# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    source = [0, 0, 1, 1, 1, 1, 1]
    values = [source.pop(0) for i in range(n)]
    for i in range(n):
        assert values[i] == 0
