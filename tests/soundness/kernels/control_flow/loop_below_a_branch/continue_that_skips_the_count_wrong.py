# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    count = 0
    for i in range(n):
        if i == 2:
            continue
        count += 1
    assert count == n
