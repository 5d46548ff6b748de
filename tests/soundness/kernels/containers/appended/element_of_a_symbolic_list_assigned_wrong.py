# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [i for i in range(n)]
    for i in range(n):
        values[i] = 0
    for i in range(n):
        assert values[i] == i
