# expect: 1 UNKNOWN|ERROR
# dims: 0..
# shapes: none

from nkiverify.frontend.paths import PathEnded as end

def kernel(n):
    assert n >= 0
    for i in range(n):
        raise end('')
