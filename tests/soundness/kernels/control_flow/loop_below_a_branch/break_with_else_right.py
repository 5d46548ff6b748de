# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    for i in range(n):
        if i == 3:
            break
    else:
        assert n <= 3
