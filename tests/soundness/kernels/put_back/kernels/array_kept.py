# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import numpy as np
held = np.zeros(4, dtype=int)

def kernel(n):
    before = int(held[0])
    for i in range(n):
        held[0] = held[0] + 1 + i
        if i > 2: break
    assert before == 1
