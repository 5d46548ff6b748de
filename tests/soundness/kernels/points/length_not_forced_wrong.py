# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n):
    parts = tuple(range(n // 2147483640))
    assert len(parts) == 0
