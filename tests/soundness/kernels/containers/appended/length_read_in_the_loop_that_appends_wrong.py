# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        values.append(len(values))
    for i in range(n):
        assert values[i] < 3
