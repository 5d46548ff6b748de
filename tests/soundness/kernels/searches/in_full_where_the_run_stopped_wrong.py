# expect: 1 FAILED
# args: ::kernel --arg 'n=n:0..7'


def kernel(n):
    """The symbolic run stops at `is`; all eight shapes are run, and not those alone that it came to."""
    start = [1]
    x = start
    for i in range(n):
        assert x is start
        if i == 1:
            x = [1]
    return 0
