# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    sizes = [i + 1 for i in range(n)]
    values = [position * size for position, size in enumerate(sizes)]
    for i in range(n):
        assert values[i] == i * i + i
