# expect: 1 FAILED|UNKNOWN
# dims: 0..

class A:
    @classmethod
    def step(cls):
        return 1
def kernel(n):
    A.__dict__["step"].__func__.count = 0
    for i in range(n):
        f = A.__dict__["step"].__func__
        assert f.count < 3
        f.count += 1
