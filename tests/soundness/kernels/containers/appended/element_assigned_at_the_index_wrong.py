# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [0, 0, 0, 0, 0, 0, 0]
    for i in range(n):
        values[i] = 1
    assert values[2] == 0
