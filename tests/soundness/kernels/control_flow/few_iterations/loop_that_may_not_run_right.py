# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    ran = False
    for i in range(n):
        ran = True
    assert ran or n == 0
