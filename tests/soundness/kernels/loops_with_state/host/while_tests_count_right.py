# expect: 1 SUCCESSFUL
# dims: 0..
"""The test itself counts, once more than there are rounds."""
def kernel(n):
    c = [0]
    rounds = [0]
    def step():
        c[0] += 1
        return c[0]
    while step() <= n:
        rounds[0] += 1
    assert c[0] == n + 1
    assert rounds[0] == n
