# expect: 1 FAILED kernel.assert:8
# dims: 0..

def kernel(n):
    count = 0
    for i in range(n, 0, -2):
        count += 1
    assert 2 * count == n
