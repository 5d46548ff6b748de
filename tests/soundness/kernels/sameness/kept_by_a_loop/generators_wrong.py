# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


def kernel(n):
    kept = []
    for i in range(n):
        kept.append(iter([1]))
    if n > 3:
        assert kept[0] == kept[1]
