# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    sizes = [i + 1 for i in range(n)]
    doubled = [2 * size for size in sizes]
    for i in range(n):
        assert doubled[i] == 2 * i + 2
