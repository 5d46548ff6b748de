# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    log = []
    values = [log.append(i) for i in range(n)]
    assert len(log) < 3
