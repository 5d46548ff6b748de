# expect: 1 FAILED kernel.assert:10
# dims: 0..

def kernel(n, m):
    for i in range(n):
        if m > 3:
            width = 5
        else:
            width = m
        assert width <= 4
