# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    seen = False
    for i in range(n):
        seen = i >= 0
    assert seen or n == 0
