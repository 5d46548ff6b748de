# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    def helper(x):
        return 1
    for i in range(n):
        assert "x" not in helper.__annotations__
        helper.__annotations__["x"] = int
