# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [0, 1]
    for i in range(n):
        values[0], values[1] = values[1], values[0]
    assert values[0] == 0
