# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    log = []
    def note(i):
        log.append(i)
    for i in range(n):
        note(i)
    assert len(log) < 3
