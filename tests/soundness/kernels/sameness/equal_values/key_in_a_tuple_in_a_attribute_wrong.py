# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    box = Box()
    box.part = {(1, 2): 5}
    for i in range(n):
        x = box.part
        assert str(list(x)[0][0]) == '1'
        box.part = {(True, 2): 5}
