# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED|FAILED
# dims: 0..

def kernel(n):
    seen = {id(n): 1}
    assert id(n + 0) in seen
