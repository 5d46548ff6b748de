# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    name = f"tile{n}"
    assert name != None
    assert not name == 5
    assert name is not None
