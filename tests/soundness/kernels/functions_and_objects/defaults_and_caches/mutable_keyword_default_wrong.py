# expect: 1 FAILED|UNKNOWN
# dims: 0..

def note(i, *, log=[]):
    log.append(i)
    return len(log)

def kernel(n):
    for i in range(n):
        assert note(i) < 3
