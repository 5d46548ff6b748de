# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The last round adds more."""
def kernel(n):
    c = 0
    for i in range(n):
        c += 5 if i == n - 1 else 1
    assert c == n
