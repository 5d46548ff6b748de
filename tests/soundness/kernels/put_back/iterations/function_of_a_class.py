# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

class Held:
    def method(self): pass

def kernel(n):
    for i in range(n):
        assert int(hasattr(Held.method, 'seen')) == 0
        Held.method.seen = i
