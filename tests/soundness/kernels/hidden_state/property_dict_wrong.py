# expect: 1 FAILED|UNKNOWN
# dims: 0..

class P(property):
    pass
def kernel(n):
    p = P(lambda self: 1)
    p.count = 0
    for i in range(n):
        assert p.count < 3
        p.count += 1
