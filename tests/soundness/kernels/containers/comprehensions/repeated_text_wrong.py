# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    text = "x" * n
    assert len(text) < 4
