# expect: 1 FAILED kernel.assert:9
# dims: 0..

import nki.language as nl

def kernel(n):
    count = 0
    for i in nl.affine_range(n):
        assert count < 3
        count += 1
