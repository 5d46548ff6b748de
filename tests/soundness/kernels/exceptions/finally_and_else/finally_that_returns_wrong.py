# expect: 1 FAILED|UNKNOWN
# dims: 0..

def attempt(n):
    for i in range(n):
        try:
            if i == 3:
                raise ValueError
        finally:
            return i
    return -1

def kernel(n):
    assert attempt(n) == -1
