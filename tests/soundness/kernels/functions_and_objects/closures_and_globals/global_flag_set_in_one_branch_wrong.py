# expect: 1 FAILED kernel.assert:10
# dims: 0..

flag = False

def kernel(n):
    global flag
    if n > 2:
        flag = True
    assert not flag
