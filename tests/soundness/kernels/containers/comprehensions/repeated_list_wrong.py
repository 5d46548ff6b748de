# expect: 1 FAILED kernel.assert:6
# dims: 0..

def kernel(n):
    values = [5] * n
    assert len(values) < 4
