# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    try:
        raise ValueError(f"bad {n}")
    except ValueError as error:
        assert str(error) != "bad 3"
