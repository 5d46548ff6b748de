# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = []
    while len(values) < n:
        values.append(1)
    assert len(values) <= 3
