# expect: 2 FAILED|UNKNOWN|BOUNDED
# dims: 0..
# args: --timeout 1
"""The test divides by what is left."""
def kernel(n):
    i = 0
    while i < 10 // (n - i):
        x = [i]
        i += 1
