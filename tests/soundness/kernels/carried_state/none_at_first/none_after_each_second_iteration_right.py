# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    held = None
    for i in range(n):
        if i % 2 == 0:
            held = i
        else:
            assert held + 1 == i
            held = None
