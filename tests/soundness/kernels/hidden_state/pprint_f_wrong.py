# expect: 1 FAILED|UNKNOWN
# dims: 0..

import pprint
def kernel(n):
    assert pprint.pformat(f'{n}') != "'3'"
