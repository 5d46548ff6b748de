# expect: 1 FAILED|UNKNOWN
# dims: 0..

import nki.language as nl

def kernel(n):
    nl.add.trap = 0
    for i in range(n):
        assert nl.add.trap < 3
        nl.add.trap += 1
