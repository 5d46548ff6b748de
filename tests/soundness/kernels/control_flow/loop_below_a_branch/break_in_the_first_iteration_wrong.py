# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    count = 0
    for i in range(n):
        count += 1
        break
    assert count == n
