# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..

import nki.language as nl

class Counting:
    def __init__(self):
        self.stored = 0
        self.stores = 0

    @property
    def value(self):
        return self.stored

    @value.setter
    def value(self, value):
        self.stored = value
        self.stores += 1


def kernel(n):
    found = Counting()
    size = n - 3
    if size > found.value:
        found.value = size
    assert found.stores == 1
