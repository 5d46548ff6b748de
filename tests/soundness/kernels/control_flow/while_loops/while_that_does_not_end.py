# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..
# args: --timeout 1
# shapes: none

def kernel(n):
    i = 0
    while i >= 0:
        i += 1
    assert False
