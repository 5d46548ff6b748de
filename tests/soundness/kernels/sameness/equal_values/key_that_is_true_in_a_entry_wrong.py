# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass
def kernel(n):
    box = {'key': {1: 5}}
    for i in range(n):
        x = box['key']
        assert str(list(x)[0]) == '1'
        box['key'] = {True: 5}
