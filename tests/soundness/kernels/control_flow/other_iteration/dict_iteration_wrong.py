# expect: 1 FAILED kernel.assert:10
# dims: 0..

def kernel(n):
    sizes = {0: 1, 1: 2, 2: 4}
    total = 0
    for key, size in sizes.items():
        if n > key:
            total += size
    assert total <= 3
