# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert "{a}".format_map({"a": n}) != "3"
