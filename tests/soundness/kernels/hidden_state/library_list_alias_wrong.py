# expect: 1 FAILED|UNKNOWN
# dims: 0..

import string
import keyword
def kernel(n):
    words = keyword.softkwlist
    start = len(words)
    for i in range(n):
        assert len(words) < start + 3
        words.append("x")
    del words[start:]
