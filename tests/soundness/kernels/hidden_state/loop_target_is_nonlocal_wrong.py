# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    i = 0
    def run():
        nonlocal i
        for i in range(n):
            pass
    run()
    assert i < 3
