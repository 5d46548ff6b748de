# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [1]
    for i in range(n):
        values.extend(values)
    assert len(values) <= 4
