# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    total = 0
    for size in {1, 2, 4}:
        total += size * n
    assert total == 7 * n
