# expect: 1 UNKNOWN
# dims: 0..
# shapes: none

from nkiverify.foundation.errors import UnsupportedConstruct as end

def kernel(n):
    assert n >= 0
    for i in range(n):
        raise end('')
