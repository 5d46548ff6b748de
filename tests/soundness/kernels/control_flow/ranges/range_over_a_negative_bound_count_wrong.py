# expect: 1 FAILED kernel.assert:8
# dims: 0..

def kernel(n):
    count = 0
    for i in range(n - 3):
        count += 1
    assert count == n - 3
