# expect: 1 FAILED|UNKNOWN
# dims: 0..

class S(str):
    pass
def kernel(n):
    s = S("x")
    s.count = 0
    for i in range(n):
        assert s.count < 3
        s.count += 1
