# expect: 1 FAILED|UNKNOWN
# dims: 0..

import functools

class Plan:
    def __init__(self):
        self.size = 1
    @functools.cached_property
    def double(self):
        return 2 * self.size

def kernel(n):
    plan = Plan()
    for i in range(n):
        assert plan.double == 2 * plan.size
        plan.size += 1
