# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    kept = []
    for i in range(n):
        class Own:
            size = i
        kept.append(Own())
    if n > 1:
        assert kept[0].size == kept[n - 1].size
