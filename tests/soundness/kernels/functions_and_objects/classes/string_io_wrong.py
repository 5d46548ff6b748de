# expect: 1 FAILED|UNKNOWN
# dims: 0..

import io

def kernel(n):
    out = io.StringIO()
    for i in range(n):
        out.write("x")
    assert len(out.getvalue()) < 3
