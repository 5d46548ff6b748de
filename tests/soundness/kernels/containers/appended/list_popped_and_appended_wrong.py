# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [0, 1, 2]
    for i in range(n):
        values.append(values.pop(0))
    assert values[0] == 0
