# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [0, 0]
    for i in range(n):
        assert values[0] == 0
        values[0] = 1
