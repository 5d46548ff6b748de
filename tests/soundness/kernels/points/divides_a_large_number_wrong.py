# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 1..
# shapes: none
# solver: 10

def kernel(a):
    assert a == 1 or 1000036000099 % a
