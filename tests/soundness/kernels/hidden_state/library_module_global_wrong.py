# expect: 1 FAILED|UNKNOWN
# dims: 0..

import string
def kernel(n):
    string.whitespace = ""
    for i in range(n):
        assert len(string.whitespace) < 3
        string.whitespace += " "
