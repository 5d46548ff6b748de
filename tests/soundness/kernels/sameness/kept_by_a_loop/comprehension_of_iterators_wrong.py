# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


def kernel(n):
    kept = []
    for i in range(n):
        pass
    kept = [iter([1, 2]) for i in range(n)]
    if n > 3:
        next(kept[0])
        assert next(kept[1]) == 2
