# expect: 1 FAILED|UNKNOWN
# dims: 0..

import numpy as np
def kernel(n):
    np.set_printoptions(precision=4)
    for i in range(n):
        assert np.get_printoptions()["precision"] < 7
        np.set_printoptions(precision=np.get_printoptions()["precision"] + 1)
