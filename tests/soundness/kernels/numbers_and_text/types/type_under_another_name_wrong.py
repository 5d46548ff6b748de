# expect: 1 FAILED|UNKNOWN
# dims: 0..

kind_of = type

def kernel(n):
    assert kind_of(n) is not int
