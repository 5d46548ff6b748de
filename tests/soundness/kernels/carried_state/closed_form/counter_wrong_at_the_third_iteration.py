# expect: 1 FAILED kernel.assert:7
# dims: 0..

def kernel(n):
    count = 0
    for i in range(n):
        assert count < 2
        count += 1
