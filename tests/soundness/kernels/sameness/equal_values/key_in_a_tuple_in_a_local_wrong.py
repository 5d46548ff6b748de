# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    x = {(1, 2): 5}
    for i in range(n):
        x = x
        assert str(list(x)[0][0]) == '1'
        x = {(True, 2): 5}
