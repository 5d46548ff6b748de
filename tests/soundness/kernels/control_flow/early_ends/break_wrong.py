# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    count = 0
    for i in range(n):
        if i == 3:
            break
        count += 1
    assert count == n
