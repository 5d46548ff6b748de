# expect: 1 FAILED|UNKNOWN
# dims: 0..

import itertools

def kernel(n):
    for total in itertools.accumulate([i for i in range(n)]):
        assert total <= 3
