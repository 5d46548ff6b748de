# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    found = 0
    try:
        n.constant
        found = 1
    except AttributeError:
        pass
    assert found == 0
