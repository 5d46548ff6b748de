# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

class Box:
    def __init__(self, value):
        self.value = value

def kernel(n):
    boxes = [Box(2 * i) for i in range(n)]
    for i in range(n):
        assert boxes[i].value == 2 * i
