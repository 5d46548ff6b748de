# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n, m):
    if n > 30000:
        if m > 40000:
            if n + 5 == m:
                assert n != 77777
