# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    try:
        raise ValueError(n)
    except ValueError as error:
        assert str(error) != "3"
