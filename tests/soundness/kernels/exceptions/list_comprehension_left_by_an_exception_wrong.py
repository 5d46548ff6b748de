# expect: 1 FAILED|UNKNOWN
# dims: 0..

def number(i):
    if i == 2:
        raise ValueError
    return i
def length(n):
    try:
        return n + len([number(i) for i in (0, 1, 2)])
    except ValueError:
        return n
def kernel(n):
    assert len([j for j in range(length(n))]) <= 3
