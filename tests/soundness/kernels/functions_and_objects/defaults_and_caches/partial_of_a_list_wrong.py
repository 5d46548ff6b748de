# expect: 1 FAILED|UNKNOWN
# dims: 0..

import functools

def kernel(n):
    log = []
    note = functools.partial(lambda log, i: log.append(i), log)
    for i in range(n):
        note(i)
    assert len(note.args[0]) < 3
