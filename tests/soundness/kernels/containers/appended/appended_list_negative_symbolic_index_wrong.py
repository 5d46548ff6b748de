# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        values.append(i)
    for i in range(n):
        assert values[i - n] == i
        assert values[-1 - i] == i
