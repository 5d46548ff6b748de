# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    values = [convert(n / 2) for convert in (int, float)]
    assert values[0] == values[1]
