# expect: 1 FAILED|UNKNOWN
# dims: 0..

import functools
class A:
    def __init__(self):
        self.count = 0
    @functools.cache
    def step(self, key):
        self.count += 1
        return self.count
def kernel(n):
    a = A()
    for i in range(n):
        a.step(3)
    assert a.count < 2
    for i in range(n):
        assert a.step(i) < 3
