# expect: 1 FAILED kernel.assert:10
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        values.append(i)
    copy = list(values)
    copy.append(0)
    assert len(values) == n + 1
