# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    x = 1
    def read():
        return x
    for i in range(n):
        assert read() < 5
        x = x * 2
