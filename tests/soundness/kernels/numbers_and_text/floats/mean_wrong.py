# expect: 1 FAILED|UNKNOWN
# dims: 0..

import statistics

def kernel(n):
    assert statistics.mean([n, n]) < 3
