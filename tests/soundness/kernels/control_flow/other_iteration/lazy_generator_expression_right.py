# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    limit = 0
    lazy = (x for x in [1, 2, 3] if x > limit)
    limit = 2
    assert len(list(lazy)) == 1
