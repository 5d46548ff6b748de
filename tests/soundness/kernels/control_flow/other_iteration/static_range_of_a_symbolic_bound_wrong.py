# expect: 1 FAILED|UNKNOWN
# dims: 0..

import nki.language as nl

def kernel(n):
    for i in nl.static_range(n):
        assert i < 3
