# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    box = [slice(0, 1)]
    for i in range(n):
        x = box[0]
        assert type(x.start) is int
        box[0] = slice(False, True)
