# expect: 1 FAILED|UNKNOWN
# dims: 0..

def attempt(n):
    result = 1
    try:
        for i in range(n):
            if i == 3:
                raise ValueError
        result = 2
    finally:
        return result

def kernel(n):
    assert attempt(n) == 2
