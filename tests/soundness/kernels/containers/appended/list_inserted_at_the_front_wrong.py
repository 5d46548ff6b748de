# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = []
    for i in range(n):
        values.insert(0, i)
    if n > 0:
        assert values[0] == 0
