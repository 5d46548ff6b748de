# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    result = 1
    while True:
        try:
            for i in range(n):
                if i == 3:
                    raise ValueError
            result = 2
        finally:
            break
    assert result == 2
