# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    values = [5]
    for i in range(n):
        values.append(values.pop())
    assert values[0] == 5
