# expect: 1 FAILED kernel.assert:7
# dims: 0..

def kernel(n):
    left = n
    for i in range(n + 1):
        assert left > 0
        left -= 1
