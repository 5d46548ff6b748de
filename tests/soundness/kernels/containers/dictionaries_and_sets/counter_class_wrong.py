# expect: 1 FAILED|UNKNOWN
# dims: 0..

import collections

def kernel(n):
    table = collections.Counter()
    for i in range(n):
        table["count"] += 1
    assert table["count"] < 3
