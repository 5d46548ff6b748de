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
    x = name(0)
    for i in range(n):
        x = x
        assert x.mark == 0
        x = name(1)
