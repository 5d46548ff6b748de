# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    values = []
    alias = values
    for i in range(n):
        values.append(i)
    assert len(alias) == n
