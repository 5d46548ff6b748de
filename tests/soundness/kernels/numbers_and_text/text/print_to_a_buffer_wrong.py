# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

import io

def kernel(n):
    out = io.StringIO()
    print(n, file=out)
    assert out.getvalue() != "3\\n".replace("\\\\n", chr(10))
