# expect: 1 FAILED|UNKNOWN
# dims: 0..

import decimal
def kernel(n):
    decimal.getcontext().prec = 28
    for i in range(n):
        assert decimal.getcontext().prec > 25
        decimal.getcontext().prec -= 1
