# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Name(str):
    pass
def name(mark):
    made = Name('a')
    made.mark = mark
    return made
class Box:
    pass
def kernel(n):
    box = [name(0)]
    for i in range(n):
        x = box[0]
        assert x.mark == 0
        box[0] = name(1)
