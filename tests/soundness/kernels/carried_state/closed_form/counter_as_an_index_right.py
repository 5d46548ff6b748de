# expect: 1 SUCCESSFUL
# dims: 0..

import nki.language as nl

def kernel(n):
    tensor = nl.ndarray((128, 2 * n + 2), dtype=nl.float32, buffer=nl.hbm)
    column = 0
    for i in range(n):
        part = tensor[0:128, column:column + 2]
        column += 2
