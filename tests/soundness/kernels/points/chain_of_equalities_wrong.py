# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(a, b, c):
    if a == 3 * b:
        if c == a + 7:
            assert b != 54321
