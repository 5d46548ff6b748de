# expect: 1 FAILED|UNKNOWN
# dims: 0..

def numbers(n, log):
    for i in range(n):
        log.append(i)
        yield i

def kernel(n):
    log = []
    for i in numbers(n, log):
        if i == 1:
            break
    assert len(log) == n
