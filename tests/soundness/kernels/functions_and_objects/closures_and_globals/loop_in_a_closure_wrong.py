# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    total = 0
    def run():
        nonlocal total
        for i in range(n):
            total += 2
    run()
    assert total < 6
