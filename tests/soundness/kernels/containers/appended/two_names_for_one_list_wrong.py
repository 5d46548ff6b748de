# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = []
    alias = values
    for i in range(n):
        values.append(i)
        alias.append(i)
    assert len(values) == n
