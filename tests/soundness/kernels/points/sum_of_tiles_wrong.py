# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(a, b):
    assert (a + 127) // 128 + (b + 127) // 128 != (a + b + 127) // 128 + 1 or a % 128 != 77
