# expect: 1 FAILED|UNKNOWN
# dims: 0..

import contextlib

@contextlib.contextmanager
def counting(log):
    log.append(1)
    yield
    log.append(2)

def kernel(n):
    log = []
    for i in range(n):
        with counting(log):
            pass
    assert len(log) < 5
