# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert str({"a": n}) != "{'a': 3}"
