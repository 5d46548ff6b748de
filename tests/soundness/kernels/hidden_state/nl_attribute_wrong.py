# expect: 1 FAILED|UNKNOWN
# dims: 0..

import nki.language as nl

def kernel(n):
    nl.trap = 0
    for i in range(n):
        assert nl.trap < 3
        nl.trap += 1
