# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    count = 0
    for i in range(n):
        try:
            assert count == i
        finally:
            count += 1
    assert count == n
