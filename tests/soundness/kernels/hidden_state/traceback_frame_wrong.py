# expect: 1 FAILED|UNKNOWN
# dims: 0..

import sys
def kernel(n):
    def inner():
        count = 0
        try:
            raise ValueError
        except ValueError as e:
            return e
    e = inner()
    for i in range(n):
        assert len(e.args) < 3
        e.args += (1,)
