# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    box = {'key': range(0, 3, 2)}
    for i in range(n):
        x = box['key']
        assert x.stop == 3
        box['key'] = range(0, 4, 2)
