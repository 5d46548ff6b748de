# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    i = 5
    values = [i for i in range(n)]
    assert i == 5
