# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    x = 0
    def read():
        return x
    for i in range(n):
        assert read() == 0
        x = i + 1
