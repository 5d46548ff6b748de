# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    found = 0
    try:
        for i in range(n):
            if i * i > n:
                raise ValueError(i)
    except ValueError as error:
        found = error.args[0]
    assert found == 0
