# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    def __init__(self):
        self.value = 0

def kernel(n):
    boxes = [Box() for i in range(n)]
    if n > 1:
        boxes[0].value = 1
        assert boxes[1].value == 1
