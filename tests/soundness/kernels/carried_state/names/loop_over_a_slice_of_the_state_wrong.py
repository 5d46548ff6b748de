# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    low, high = 0, 1
    for i in range(n):
        for j in range(low, high):
            assert j < 3
        low, high = high, high + 1
