# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""A number becomes a bool after the first round."""
def kernel(n):
    a = 1
    for i in range(n):
        assert a + 1 == 2
        assert i < 2 or type(a) is int
        a = True
