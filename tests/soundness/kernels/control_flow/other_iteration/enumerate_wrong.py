# expect: 1 FAILED kernel.assert:6
# dims: 0..

def kernel(n):
    for position, i in enumerate(range(3, n)):
        assert position < 2
