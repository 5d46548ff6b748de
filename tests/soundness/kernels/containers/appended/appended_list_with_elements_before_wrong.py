# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [10, 11]
    for i in range(n):
        values.append(i)
    for i in range(n):
        assert values[i] != 10 + i
