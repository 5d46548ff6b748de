# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


def kernel(n):
    kept = []
    for i in range(n):
        kept.append(iter([1, 2]))
    if n > 3:
        assert next(kept[0]) == 1 and next(kept[1]) == 2
