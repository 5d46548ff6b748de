# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert bin(n) != "0b11"
