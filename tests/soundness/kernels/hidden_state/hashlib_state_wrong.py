# expect: 1 FAILED|UNKNOWN
# dims: 0..

import hashlib
def kernel(n):
    h = hashlib.md5()
    first = h.hexdigest()
    for i in range(n):
        assert h.hexdigest() == first
        h.update(b"x")
