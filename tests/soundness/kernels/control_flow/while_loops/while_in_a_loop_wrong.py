# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    for i in range(n):
        j = i
        while j > 0:
            j -= 1
            assert j < 3
