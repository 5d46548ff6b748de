# expect: 1 FAILED|UNKNOWN
# dims: 0..

import string
def kernel(n):
    assert string.Template('$x').substitute(x=f'{n}') != "3"
