# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    box = {'key': range(0)}
    for i in range(n):
        x = box['key']
        assert x.start == 0
        box['key'] = range(5, 5)
