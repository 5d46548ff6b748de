# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n, m):
    def inner(log=[]):
        log.append(1)
        return len(log)
    for i in range(n):
        inner()
    assert inner() < 3
