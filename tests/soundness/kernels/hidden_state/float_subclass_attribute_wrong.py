# expect: 1 FAILED|UNKNOWN
# dims: 0..

class S(float):
    pass
def kernel(n):
    s = S(1)
    s.count = 0
    for i in range(n):
        assert s.count < 3
        s.count += 1
