# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

class Held:
    def method(self): pass

def kernel(n):
    before = int(hasattr(Held.method, 'seen'))
    for i in range(n):
        Held.method.seen = i
        if i > 2: break
    assert before == 1
