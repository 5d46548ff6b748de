# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Log(list):
    pass

def kernel(n):
    log = Log()
    for i in range(n):
        log.append(i)
    assert len(log) < 3
