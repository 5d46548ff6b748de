# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    values = [0]
    for i in range(n):
        assert values[0] == i
        values[0] += 1
    assert values[0] == n
