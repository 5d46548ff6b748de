# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    for i in range(n):
        for j in range(3):
            if j == 1:
                break
        assert j == 1
