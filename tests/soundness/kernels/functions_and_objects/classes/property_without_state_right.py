# expect: 1 SUCCESSFUL
# dims: 0..

class Plan:
    def __init__(self, size):
        self.size = size
    @property
    def double(self):
        return 2 * self.size

def kernel(n):
    plan = Plan(n)
    for i in range(plan.double):
        assert i < 2 * n
