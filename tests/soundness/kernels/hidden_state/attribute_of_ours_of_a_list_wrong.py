# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    x = [1, 2]
    found = 0
    try:
        x.parts
        found = 1
    except AttributeError:
        pass
    assert found == 0
