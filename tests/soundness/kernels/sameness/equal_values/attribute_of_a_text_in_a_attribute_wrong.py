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
    box = Box()
    box.part = name(0)
    for i in range(n):
        x = box.part
        assert x.mark == 0
        box.part = name(1)
