# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


class Marker:
    pass


def kernel(n):
    kept = []
    for i in range(n):
        kept.append(Marker())
    if n > 3:
        assert kept[0] == kept[1]
