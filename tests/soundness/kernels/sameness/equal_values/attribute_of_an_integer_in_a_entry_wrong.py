# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Size(int):
    pass
def size(mark):
    made = Size(3)
    made.mark = mark
    return made
class Box:
    pass
def kernel(n):
    box = {'key': size(0)}
    for i in range(n):
        x = box['key']
        assert x.mark == 0
        box['key'] = size(1)
