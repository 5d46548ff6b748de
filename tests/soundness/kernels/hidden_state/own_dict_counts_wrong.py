# expect: 1 FAILED|UNKNOWN
# dims: 0..

class A:
    pass
def kernel(n):
    a = A()
    a.count = 0
    d = a.__dict__
    for i in range(n):
        assert a.count < 3
        d["count"] += 1
