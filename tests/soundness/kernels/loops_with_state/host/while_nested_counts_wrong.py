# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""The sum of the rounds of the inner loop."""
def kernel(n):
    i = 0
    c = [0]
    while i < n:
        j = i
        while j < n:
            c[0] += 1
            j += 1
        i += 1
    assert c[0] == n * n or n < 2
