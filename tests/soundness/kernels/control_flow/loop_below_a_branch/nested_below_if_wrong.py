# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n, m):
    found = 0
    for i in range(n):
        if i < 5:
            for j in range(m):
                found = i + j
    assert found < 9
