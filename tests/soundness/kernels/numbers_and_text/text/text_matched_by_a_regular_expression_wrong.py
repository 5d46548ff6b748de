# expect: 1 FAILED|UNKNOWN
# dims: 0..

import re

def kernel(n):
    assert not re.match("3", str(n))
