# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import decimal
first = decimal.getcontext().prec

def kernel(n):
    before = decimal.getcontext().prec - first
    for i in range(n):
        decimal.getcontext().prec = first + 1
        if i > 2: break
    assert before == 1
