# expect: 1 FAILED kernel.assert:8
# dims: 0..

def kernel(n, m):
    count = 0
    for i in range(n, m):
        count += 1
    assert count == m - n
