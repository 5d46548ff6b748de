# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        values.clear()
        values.append(i)
        assert len(values) == 1
        assert values[0] == i
