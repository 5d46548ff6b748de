# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    def double():
        return 2 * i
    for i in range(n):
        assert double() == 2 * i
