# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(a, b, c):
    if a < b:
        if b < c:
            if c < a + 3:
                assert a != 123457
