# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    assert sorted([str(n), "2"])[0] == str(n)
