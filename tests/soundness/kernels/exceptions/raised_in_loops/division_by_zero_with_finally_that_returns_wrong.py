# expect: 1 FAILED|UNKNOWN
# dims: 0..

def divides(n):
    result = False
    try:
        x = 12 // (n - 3)
        result = True
    finally:
        return result

def kernel(n):
    assert divides(n)
