# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    kept = [slice(4 * i, 4 * i + 4) for i in range(n)]
    for i in range(n):
        assert kept[i].stop - 4 == 4 * i
