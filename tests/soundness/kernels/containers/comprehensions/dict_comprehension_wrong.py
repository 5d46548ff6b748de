# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = {i: 2 * i for i in range(n)}
    assert len(values) < 3
