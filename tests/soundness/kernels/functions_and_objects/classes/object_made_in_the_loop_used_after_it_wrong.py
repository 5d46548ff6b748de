# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    def __init__(self, value):
        self.value = value

def kernel(n):
    box = Box(0)
    for i in range(n):
        box = Box(i)
    assert box.value < 3
