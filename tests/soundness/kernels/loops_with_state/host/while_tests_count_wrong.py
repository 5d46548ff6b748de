# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The test itself counts."""
def kernel(n):
    c = [0]
    def step():
        c[0] += 1
        return c[0]
    while step() < n:
        x = [1]
    assert c[0] != n or n < 3
