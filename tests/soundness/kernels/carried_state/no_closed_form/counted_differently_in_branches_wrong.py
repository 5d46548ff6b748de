# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    count = 0
    for i in range(n):
        if i < 3:
            count += 1
        else:
            count += 2
    assert count == n
