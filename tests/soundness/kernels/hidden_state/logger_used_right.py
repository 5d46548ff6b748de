# expect: 1 SUCCESSFUL
# dims: 0..

import logging
LOG = logging.getLogger(__name__)
LOG.setLevel(logging.WARNING)
def kernel(n):
    for i in range(n):
        LOG.info("at %s", i)
        assert i < n
