# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


def kernel(n):
    kept = []
    for i in range(n):
        kept.append(lambda i=i: i)
    if n > 3:
        assert kept[0] != kept[0]
