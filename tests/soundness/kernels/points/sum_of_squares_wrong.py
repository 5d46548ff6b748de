# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(a, b):
    assert a * a + b * b != 1000 * 1000 + 999 * 999
