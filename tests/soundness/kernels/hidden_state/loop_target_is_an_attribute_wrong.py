# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    box = Box()
    box.x = 0
    for box.x in range(n):
        pass
    assert box.x < 3
