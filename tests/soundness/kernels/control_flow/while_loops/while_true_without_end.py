# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..
# args: --timeout 1
# shapes: none

def kernel(n):
    while True:
        pass
    assert False
