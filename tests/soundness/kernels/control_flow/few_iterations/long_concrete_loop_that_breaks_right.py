# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    for i in range(100):
        if i == 50:
            break
    assert i == 50
    assert n >= 0
