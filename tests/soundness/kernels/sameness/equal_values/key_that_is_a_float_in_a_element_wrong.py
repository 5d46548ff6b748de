# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    box = [{1: 5}]
    for i in range(n):
        x = box[0]
        assert type(list(x)[0]) is int
        box[0] = {1.0: 5}
