# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    box = {'key': slice(0, 1)}
    for i in range(n):
        x = box['key']
        assert type(x.start) is int
        box['key'] = slice(False, True)
