# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    box = [range(0, 3, 2)]
    for i in range(n):
        x = box[0]
        assert x.stop == 3
        box[0] = range(0, 4, 2)
