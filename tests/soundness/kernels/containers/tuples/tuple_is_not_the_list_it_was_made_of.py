# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    found = []
    for i in range(n):
        found.append(i)
    kept = tuple(found)
    found.append(7)
    assert len(kept) == n
    assert len(found) == n + 1
