# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    kept = tuple([i for i in range(n)])
    kept.append(3)
