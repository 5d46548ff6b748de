# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n, m):
    sizes = []
    for i in range(n):
        sizes.append(i + 1)
    for i in range(n):
        for j in range(sizes[i]):
            assert j <= i
