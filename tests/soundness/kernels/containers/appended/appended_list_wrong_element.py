# expect: 1 FAILED kernel.assert:9
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        values.append(2 * i)
    for i in range(n):
        assert values[i] < 8
