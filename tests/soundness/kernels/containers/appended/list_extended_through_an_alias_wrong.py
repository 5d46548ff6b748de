# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = []
    alias = values
    for i in range(n):
        values += [i, i]
    assert len(alias) <= n
