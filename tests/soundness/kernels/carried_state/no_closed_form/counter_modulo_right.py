# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    slot = 0
    for i in range(n):
        assert slot == i % 4
        slot = (slot + 1) % 4
