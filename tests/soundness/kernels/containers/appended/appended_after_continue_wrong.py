# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        if i == 1:
            continue
        values.append(i)
    assert len(values) == n
