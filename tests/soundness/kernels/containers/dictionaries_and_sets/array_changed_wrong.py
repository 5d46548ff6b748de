# expect: 1 FAILED|UNKNOWN
# dims: 0..

import array

def kernel(n):
    data = array.array("i", [0])
    for i in range(n):
        assert data[0] == 0
        data[0] = 1
