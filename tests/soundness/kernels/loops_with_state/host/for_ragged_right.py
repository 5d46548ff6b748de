# expect: 1 SUCCESSFUL|BOUNDED|UNKNOWN
# dims: 0..
"""The last round adds more."""
def kernel(n):
    c = 0
    for i in range(n):
        c += 5 if i == n - 1 else 1
    if n > 0:
        assert c == n + 4
