# expect: 1 FAILED kernel.assert:8
# dims: 0..

def kernel(n):
    for i in range(n):
        if i < 3:
            continue
        assert i < 3
