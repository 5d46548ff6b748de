# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n):
    parts = [0, 1, 2]
    return parts[n // 1999999999 * 3]
