# expect: 1 SUCCESSFUL
# dims: 0..

import nki.language as nl

def kernel(n):
    for i in nl.affine_range(n):
        assert i < n
