# expect: 1 FAILED kernel.assert:8
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        values.append(i)
    assert len(values) < 5
