# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        if i < 2:
            values.append(i)
        else:
            values.append(i)
    for i in range(n):
        assert values[i] == i
