# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    held = None
    for i in range(n):
        if i % 3 == 0:
            held = i
        else:
            assert held < i
            held = None
