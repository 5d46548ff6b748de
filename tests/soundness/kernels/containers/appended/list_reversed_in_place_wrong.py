# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [0, 1]
    for i in range(n):
        values.reverse()
    assert values[0] == 0
