# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Size:
    def __init__(self, n):
        self.n = n
    def __str__(self):
        return f"size {self.n}"

def kernel(n):
    assert f"{Size(n)}" != "size 3"
