# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    seen = frozenset()
    for i in range(n):
        assert not seen
        seen = seen | {"x"}
