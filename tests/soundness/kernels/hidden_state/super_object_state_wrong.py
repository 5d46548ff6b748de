# expect: 1 FAILED|UNKNOWN
# dims: 0..

class A:
    def step(self):
        self.count += 1
        return self.count
class B(A):
    def parent(self):
        return super()
def kernel(n):
    b = B()
    b.count = 0
    s = b.parent()
    del b
    for i in range(n):
        assert s.step() < 3
