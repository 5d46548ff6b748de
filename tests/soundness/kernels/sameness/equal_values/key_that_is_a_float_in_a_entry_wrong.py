# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    box = {'key': {1: 5}}
    for i in range(n):
        x = box['key']
        assert type(list(x)[0]) is int
        box['key'] = {1.0: 5}
