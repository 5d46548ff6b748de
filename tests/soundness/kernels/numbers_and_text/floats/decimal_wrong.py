# expect: 1 FAILED|UNKNOWN
# dims: 0..

import decimal

def kernel(n):
    assert decimal.Decimal(n) < 3
