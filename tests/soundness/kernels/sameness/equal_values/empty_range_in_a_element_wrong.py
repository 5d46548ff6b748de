# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    box = [range(0)]
    for i in range(n):
        x = box[0]
        assert x.start == 0
        box[0] = range(5, 5)
