# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    values = list(range(2, n))
    for i in range(len(values)):
        assert values[i] == i + 2
