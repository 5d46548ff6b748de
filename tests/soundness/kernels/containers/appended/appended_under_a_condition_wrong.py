# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        if i % 2 == 0:
            values.append(i)
    assert len(values) == n
