# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    held = slice([0], None)
    for i in range(n):
        held.start[0] += 1
        assert held.start[0] <= 3
