# expect: 1 FAILED|UNKNOWN
# dims: 0..

def numbers(log, n):
    for i in range(n):
        yield len(log)

def kernel(n):
    log = []
    for x in numbers(log, n):
        assert x == 0
        log.append(x)
