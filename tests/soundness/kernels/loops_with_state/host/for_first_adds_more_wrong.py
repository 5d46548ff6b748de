# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..9
"""The first round adds more."""
def kernel(n):
    c = 0
    for i in range(n):
        c += 5 if i == 0 else 1
    assert c < 9
