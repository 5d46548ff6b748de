# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""A list of the round before grows in this one."""
def kernel(n):
    b = []
    kept = []
    for i in range(n):
        b.append(i)
        kept.append(b)
        b = [0]
    if n > 1:
        assert len(kept[1]) == 1
