# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    for i in range(n):
        if i > 1:
            counts = [0, i]
            counts[0] += i
            assert counts[0] == i
