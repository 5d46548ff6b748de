# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = []
    add = values.append
    for i in range(n):
        add(i)
    assert len(values) < 4
