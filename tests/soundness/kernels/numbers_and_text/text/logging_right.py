# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

import logging

def kernel(n):
    for i in range(n):
        logging.getLogger("trap").debug("tile %d of %d", i, n)
        assert i < n
