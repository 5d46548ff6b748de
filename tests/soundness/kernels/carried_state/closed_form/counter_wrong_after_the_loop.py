# expect: 1 FAILED kernel.assert:8
# dims: 0..

def kernel(n):
    count = 0
    for i in range(n):
        count += 1
    assert count < 5
