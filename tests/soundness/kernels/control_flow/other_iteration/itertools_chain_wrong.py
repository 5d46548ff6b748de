# expect: 1 FAILED|UNKNOWN
# dims: 0..

import itertools

def kernel(n):
    for i in itertools.chain(range(n), [7]):
        assert i < 7
