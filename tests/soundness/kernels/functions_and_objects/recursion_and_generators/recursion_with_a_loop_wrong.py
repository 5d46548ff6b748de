# expect: 1 FAILED|UNKNOWN
# dims: 0..
# args: --timeout 2
# shapes: 0..4

def visit(n, log):
    for i in range(n):
        log.append(i)
        visit(i, log)

def kernel(n):
    log = []
    visit(n, log)
    assert len(log) < 7
