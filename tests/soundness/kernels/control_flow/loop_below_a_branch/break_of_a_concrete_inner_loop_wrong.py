# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    for i in range(n):
        for j in range(3):
            if j == i:
                break
        assert j == i
