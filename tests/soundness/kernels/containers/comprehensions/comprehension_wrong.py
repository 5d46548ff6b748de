# expect: 1 FAILED kernel.assert:7
# dims: 0..

def kernel(n):
    values = [3 * i for i in range(n)]
    for i in range(n):
        assert values[i] < 9
