# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        values.append(min(i, 3))
    for i in range(n):
        assert values[i] <= 3
        assert values[i] <= i
