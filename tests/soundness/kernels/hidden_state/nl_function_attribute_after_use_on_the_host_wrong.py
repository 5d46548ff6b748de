# expect: 1 FAILED|UNKNOWN
# dims: 0..

import nki.language as nl
import numpy as np
table = nl.add(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32))
def kernel(n):
    nl.add.trap = 0
    for i in range(n):
        assert nl.add.trap < 3
        nl.add.trap += 1
