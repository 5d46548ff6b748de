# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import decimal
first = decimal.getcontext().prec

def kernel(n):
    for i in range(n):
        assert decimal.getcontext().prec - first == 0
        decimal.getcontext().prec = first + 1
