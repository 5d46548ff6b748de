# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    count = 0
    for i in range(n):
        try:
            if i == 3:
                raise ValueError
        finally:
            count += 1
            continue
    assert count == n
