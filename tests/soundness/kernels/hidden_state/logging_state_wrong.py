# expect: 1 FAILED|UNKNOWN
# dims: 0..

import logging
def kernel(n):
    log = logging.getLogger("trap")
    log.setLevel(10)
    for i in range(n):
        assert log.level < 13
        log.setLevel(log.level + 1)
