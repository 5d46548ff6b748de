# expect: 1 FAILED|UNKNOWN
# dims: 0..

def counted(cls):
    made = []
    old = cls.__init__
    def __init__(self):
        made.append(1)
        self.number = len(made)
        old(self)
    cls.__init__ = __init__
    return cls
@counted
class A:
    def __init__(self):
        pass
def kernel(n):
    start = A().number
    for i in range(n):
        assert A().number < start + 4
