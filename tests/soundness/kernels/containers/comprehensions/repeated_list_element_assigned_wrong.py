# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [0] * n
    for i in range(n):
        values[i] = i
    for i in range(n):
        assert values[i] == 0
