# expect: 1 FAILED|UNKNOWN
# dims: 0..

def divide(n):
    try:
        return 12 // (n - 3)
    finally:
        return 100

def kernel(n):
    assert divide(n) < 100
