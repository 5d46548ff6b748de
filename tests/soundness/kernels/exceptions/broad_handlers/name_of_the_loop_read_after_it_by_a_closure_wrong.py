# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    x = 7
    def read():
        try:
            return x
        except NameError:
            return 7
    for i in range(n):
        x = x * x
    assert read() == 7
