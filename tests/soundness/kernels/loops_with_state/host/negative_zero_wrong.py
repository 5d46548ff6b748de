# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""A number of the round before is compared with a constant."""
def kernel(n):
    a = 0
    for i in range(n):
        assert a != 4
        a = i + 1
