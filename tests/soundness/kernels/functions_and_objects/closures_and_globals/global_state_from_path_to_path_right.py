# expect: 1 SUCCESSFUL
# dims: 0..

seen = []

def kernel(n):
    if n > 2:
        seen.append(1)
    else:
        seen.append(2)
    assert len(seen) == 1
