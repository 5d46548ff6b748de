# expect: 1 FAILED|UNKNOWN
# dims: 0..

import logging

LOG = logging.getLogger("trap")


def kernel(n):
    LOG.handlers.clear()
    for i in range(n):
        assert len(LOG.handlers) < 3
        LOG.handlers.append(logging.NullHandler())
