# expect: 1 FAILED|UNKNOWN
# dims: 0..

import keyword
def kernel(n):
    start = len(keyword.softkwlist)
    for i in range(n):
        assert len(keyword.softkwlist) < start + 3
        keyword.softkwlist.append("x")
