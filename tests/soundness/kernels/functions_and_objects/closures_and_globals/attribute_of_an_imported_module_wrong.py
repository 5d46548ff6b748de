# expect: 1 FAILED|UNKNOWN
# dims: 0..

import string

def kernel(n):
    vars(string).pop("mark", None)
    for i in range(n):
        assert getattr(string, "mark", 0) == 0
        string.mark = 1
