# expect: 1 FAILED|UNKNOWN
# dims: 0..

import collections

def kernel(n):
    table = collections.OrderedDict(a=0, b=1)
    for i in range(n):
        table.move_to_end(next(iter(table)))
    assert next(iter(table)) == "a"
