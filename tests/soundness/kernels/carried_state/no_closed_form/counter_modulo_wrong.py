# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    slot = 0
    for i in range(n):
        assert slot == i
        slot = (slot + 1) % 4
