# expect: 1 FAILED kernel.assert:9
# dims: 0..

def kernel(n):
    seen = False
    for i in range(4):
        if n > i:
            seen = True
    assert seen == (n > 1)
