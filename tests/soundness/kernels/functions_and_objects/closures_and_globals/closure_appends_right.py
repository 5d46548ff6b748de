# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    log = []
    def note(i):
        log.append(i)
    for i in range(n):
        note(i)
    assert len(log) == n
