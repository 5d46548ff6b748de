# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    def double():
        return 2 * i
    for i in range(n):
        assert double() < 6
