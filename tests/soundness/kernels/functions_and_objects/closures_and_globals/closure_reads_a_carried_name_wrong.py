# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    x = 0
    def read():
        return x
    for i in range(n):
        assert read() < 3
        x = x + 1
