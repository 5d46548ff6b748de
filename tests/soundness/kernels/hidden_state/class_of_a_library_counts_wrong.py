# expect: 1 FAILED|UNKNOWN
# dims: 0..

import string
def kernel(n):
    string.Template.count = 0
    for i in range(n):
        assert string.Template.count < 3
        string.Template.count += 1
