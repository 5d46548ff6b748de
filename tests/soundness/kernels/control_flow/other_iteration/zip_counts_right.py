# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n, m):
    count = 0
    for i, j in zip(range(n), range(m)):
        count += 1
    assert count == min(n, m)
