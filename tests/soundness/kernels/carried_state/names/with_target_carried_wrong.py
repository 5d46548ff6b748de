# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Resource:
    def __init__(self, value):
        self.value = value
    def __enter__(self):
        return self.value
    def __exit__(self, *details):
        return False

def kernel(n):
    x = 0
    for i in range(n):
        assert x < 2
        with Resource(x + 1) as x:
            pass
