# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    try:
        raise ValueError(f"bad {n}")
    except ValueError as error:
        assert error.args[0] != "bad 3"
