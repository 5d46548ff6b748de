# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..

import nki.language as nl

def kernel(n):
    tensor = nl.ndarray((128, 10), dtype=nl.float32, buffer=nl.hbm)
    most, column = 9, 0
    for i in range(n):
        if column > most:
            most = column
        column += 3
    part = tensor[0:128, 0:most + 1]
