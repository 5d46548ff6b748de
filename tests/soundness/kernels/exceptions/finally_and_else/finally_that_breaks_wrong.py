# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    count = 0
    for i in range(n):
        try:
            count += 1
        finally:
            break
    assert count == n
