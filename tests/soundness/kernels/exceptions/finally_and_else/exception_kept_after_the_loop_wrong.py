# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    kept = None
    for i in range(n):
        try:
            if i == 2:
                raise ValueError(i)
        except ValueError as error:
            kept = error
    assert kept is None
