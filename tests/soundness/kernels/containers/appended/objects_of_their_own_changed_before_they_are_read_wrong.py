# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    def __init__(self, value):
        self.value = value

def kernel(n):
    boxes = [Box(i) for i in range(n)]
    if n > 2:
        box = boxes[2]
        box.value = 100
        assert boxes[2].value == 2
