# expect: 1 FAILED|UNKNOWN
# dims: 0..

class State:
    count = 0
    @classmethod
    def step(cls):
        cls.count += 1
        return cls.count

def kernel(n):
    for i in range(n):
        assert State.step() < 3
