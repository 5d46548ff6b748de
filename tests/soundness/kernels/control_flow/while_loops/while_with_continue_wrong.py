# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    i = 0
    odd = 0
    while i < n:
        i += 1
        if i % 2 == 0:
            continue
        odd += 1
    assert odd <= 2
