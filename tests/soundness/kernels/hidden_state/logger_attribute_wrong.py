# expect: 1 FAILED|UNKNOWN
# dims: 0..

import logging
def kernel(n):
    log = logging.getLogger("trap")
    log.count = 0
    for i in range(n):
        assert log.count < 3
        log.count += 1
