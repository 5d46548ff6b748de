# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert sum(int(digit) for digit in str(n)) < 4
