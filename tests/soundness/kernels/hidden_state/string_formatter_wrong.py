# expect: 1 FAILED|UNKNOWN
# dims: 0..

import string
def kernel(n):
    assert string.Formatter().format('{}', f'{n}') != "3"
