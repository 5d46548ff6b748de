# expect: 1 FAILED kernel.assert:8
# dims: 0..

def kernel(n):
    ran = False
    for i in range(n):
        ran = True
    assert ran
