# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


def kernel(n):
    start = [1]
    x = start
    for i in range(n):
        assert x is start
        if i == 1:
            x = [1]
    assert int(x is start) <= 1
