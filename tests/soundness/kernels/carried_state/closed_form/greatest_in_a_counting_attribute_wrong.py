# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..

import nki.language as nl

class Counting:
    def __init__(self):
        object.__setattr__(self, "value", 0)
        object.__setattr__(self, "stores", 0)

    def __setattr__(self, name, value):
        object.__setattr__(self, "stores", self.stores + 1)
        object.__setattr__(self, name, value)


def kernel(n):
    found = Counting()
    size = n - 3
    if size > found.value:
        found.value = size
    assert found.stores == 1
