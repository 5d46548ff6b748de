# expect: 1 FAILED kernel.assert:8
# dims: 0..

def kernel(n):
    last = 0
    for i in range(n):
        last = 2 * i
    assert last <= 6
