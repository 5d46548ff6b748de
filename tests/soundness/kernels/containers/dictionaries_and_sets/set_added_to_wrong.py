# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    seen = set()
    for i in range(n):
        assert "x" not in seen
        seen.add("x")
