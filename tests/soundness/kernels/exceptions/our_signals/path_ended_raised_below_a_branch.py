# expect: 1 UNKNOWN
# dims: 0..
# shapes: none

from nkiverify.frontend.paths import PathEnded as end

def kernel(n):
    assert n >= 0
    if n > 3:
        raise end('')
