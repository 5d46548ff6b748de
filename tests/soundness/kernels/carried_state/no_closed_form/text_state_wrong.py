# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    name = ""
    for i in range(n):
        assert name != "aa"
        name += "a"
