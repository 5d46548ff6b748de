# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    x = 0
    def step():
        return x * x + 1
    for i in range(n):
        try:
            y = step()
        except NameError:
            y = 1
        assert y == 1
        x = y
