# expect: 1 FAILED|UNKNOWN
# dims: 0..

def add(values, value):
    values.append(value)

def kernel(n):
    values = []
    for i in range(n):
        add(values, i)
    assert len(values) < 4
