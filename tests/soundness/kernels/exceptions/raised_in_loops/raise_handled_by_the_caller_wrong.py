# expect: 1 FAILED|UNKNOWN
# dims: 0..

def search(n):
    for i in range(n):
        if i == 2:
            raise KeyError(i)
    return -1

def kernel(n):
    try:
        found = search(n)
    except KeyError:
        found = 2
    assert found == -1
