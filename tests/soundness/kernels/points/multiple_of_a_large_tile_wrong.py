# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n):
    if n % 4096 == 0:
        assert n % (1 << 20) != 0 or n < 1 << 27
