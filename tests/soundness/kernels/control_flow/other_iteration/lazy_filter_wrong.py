# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    limit = 0
    lazy = filter(lambda x: x > limit, [1, 2, 3])
    limit = 2
    assert len(list(lazy)) == 3
