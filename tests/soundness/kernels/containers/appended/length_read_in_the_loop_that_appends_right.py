# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        assert len(values) == i
        values.append(len(values))
    for i in range(n):
        assert values[i] == i
