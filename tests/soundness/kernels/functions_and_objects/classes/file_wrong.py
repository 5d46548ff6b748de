# expect: 1 FAILED|UNKNOWN
# dims: 0..

import tempfile

def kernel(n):
    with tempfile.TemporaryFile() as out:
        for i in range(n):
            out.write(b"x")
        assert out.tell() < 3
