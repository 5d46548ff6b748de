# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    try:
        x = n + "text"
    except TypeError:
        x = 0
    assert x == 0
