# expect: 1 FAILED|UNKNOWN
# dims: 0..

def found(n, start):
    there = False
    for i in range(3):
        for j in range(2):
            if start + i + j == n:
                there = True
    return there

def kernel(n):
    count = 0
    for start in range(2):
        if found(n, 2 * start):
            assert n != 5
