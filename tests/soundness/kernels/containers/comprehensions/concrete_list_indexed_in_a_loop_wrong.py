# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    sizes = [4, 5, 6, 7, 8, 9]
    for i in range(n):
        if i < 6:
            assert sizes[i] < 7
