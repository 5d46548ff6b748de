# expect: 1 SUCCESSFUL
# dims: 0..

import nki.language as nl

def kernel(n):
    for i in range(n):
        tile = nl.ndarray((128, i + 1), dtype=nl.float32, buffer=nl.sbuf)
        part = tile[0:128, i:i + 1]
        assert part.shape[1] == 1
