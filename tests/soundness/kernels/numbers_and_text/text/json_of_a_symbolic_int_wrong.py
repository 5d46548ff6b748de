# expect: 1 FAILED|UNKNOWN
# dims: 0..

import json

def kernel(n):
    assert json.dumps([n]) != "[3]"
