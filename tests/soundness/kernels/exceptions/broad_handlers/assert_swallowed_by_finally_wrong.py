# expect: 1 FAILED|UNKNOWN
# dims: 0..

def attempt(n):
    try:
        assert n < 3
        return 1
    finally:
        return 0 if n >= 3 else 1

def kernel(n):
    assert attempt(n) == 1
