# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert "".join(f"{x}" for x in (n, 1)) != "31"
