# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    values = [0]
    copy = values[:]
    for i in range(n):
        copy.append(i)
    assert len(values) == 1
    assert len(copy) == n + 1
