# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    last = 0
    for i in range(n):
        last = 2 * i
    assert last <= 2 * n
