# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

import operator
def kernel(n):
    found = 0
    try:
        operator.attrgetter("constant")(n)
        found = 1
    except AttributeError:
        pass
    assert found == 0
