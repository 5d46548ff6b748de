# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    try:
        n.constant
    except AttributeError:
        raise ValueError()
