# expect: 1 FAILED|UNKNOWN
# dims: 0..

import functools

def make():
    log = []
    return functools.partial(log.append), functools.partial(len, log)

def kernel(n):
    note, count = make()
    for i in range(n):
        note(i)
    assert count() < 3
