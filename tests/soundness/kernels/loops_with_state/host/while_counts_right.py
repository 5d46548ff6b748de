# expect: 1 SUCCESSFUL
# dims: 0..
"""As many rounds as the limit says."""
def kernel(n):
    i = 0
    while i < n:
        i += 1
    c = 0
    while c < n:
        c += 1
        x = [c]
    assert c == n
