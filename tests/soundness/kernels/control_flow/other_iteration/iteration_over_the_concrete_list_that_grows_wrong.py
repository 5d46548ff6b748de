# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [0]
    for value in values:
        if value < 3 and value < n:
            values.append(value + 1)
    assert len(values) < 4
