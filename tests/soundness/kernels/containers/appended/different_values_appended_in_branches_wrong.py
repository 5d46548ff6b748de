# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        if i < 2:
            values.append(1)
        else:
            values.append(2)
    for i in range(n):
        assert values[i] == 1
