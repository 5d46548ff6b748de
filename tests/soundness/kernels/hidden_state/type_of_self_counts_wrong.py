# expect: 1 FAILED|UNKNOWN
# dims: 0..

class A:
    count = 0
    def step(self):
        type(self).count += 1
        return self.count
def kernel(n):
    A.count = 0
    a = A()
    for i in range(n):
        assert a.step() < 4
