# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    rows = [{} for i in range(n)]
    if n > 1:
        rows[0]["x"] = 1
        assert "x" in rows[1]
