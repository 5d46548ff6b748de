# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    count = 0
    for i in range(n):
        try:
            if i == 3:
                raise ValueError
            count += 1
        finally:
            continue
    assert count == n
