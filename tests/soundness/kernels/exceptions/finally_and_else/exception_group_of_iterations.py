# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    errors = []
    for i in range(n):
        try:
            if i == 2:
                raise ValueError(i)
        except ValueError as error:
            errors.append(error)
    assert not errors
