# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""It is left in its fourth round."""
def kernel(n):
    c = [0]
    def run(n):
        i = 0
        while i < n:
            c[0] += 1
            i += 1
            if i == 4:
                return
    run(n)
    assert c[0] == n
