# expect: 1 FAILED
# dims: 0..

import nki.language as nl

def kernel(n):
    most = 5
    other = n + 1
    if n > most:
        most = other
    assert most <= 6
