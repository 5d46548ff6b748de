# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [3, 2, 1]
    for i in range(n):
        values.pop()
    assert n < 9
