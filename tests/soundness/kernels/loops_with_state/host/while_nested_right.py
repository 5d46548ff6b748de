# expect: 1 SUCCESSFUL
# dims: 0..
"""The inner loop has another number of rounds in each one of the outer loop."""
def kernel(n):
    i = 0
    c = [0]
    while i < n:
        j = i
        while j < n:
            x = [j]
            j += 1
        assert j == n
        i += 1
    assert i == n
