# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for i in range(n):
        last = slice(i, i + 1)
    if n > 0:
        assert last.stop == n
