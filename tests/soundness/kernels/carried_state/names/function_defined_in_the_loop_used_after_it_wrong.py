# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    def double():
        return 0
    for i in range(n):
        def double():
            return 2 * i
    assert double() < 6
