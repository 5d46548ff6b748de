# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    for i in range(n):
        print("tile", i)
    assert n >= 0
