# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

import warnings

def kernel(n):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(n):
            warnings.warn(f"tile {i}")
            assert i < n
