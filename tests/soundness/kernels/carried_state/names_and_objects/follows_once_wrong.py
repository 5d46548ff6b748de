# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


def kernel(n):
    """What the first iteration hands on is not handed on by the others."""
    before, now = [0], [1]
    for i in range(n):
        if now[0] == 1:
            before = now
        now = [2]
    assert n < 2 or before[0] == 2
