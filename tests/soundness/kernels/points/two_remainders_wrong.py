# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(n):
    assert not (n % 1009 == 3 and n % 1013 == 4)
