# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    box = [{1: 5}]
    for i in range(n):
        x = box[0]
        assert str(list(x)[0]) == '1'
        box[0] = {True: 5}
