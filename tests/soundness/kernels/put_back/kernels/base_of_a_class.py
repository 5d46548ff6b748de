# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

class One: count = 0
class Two: count = 1
class Held(One): pass

def kernel(n):
    before = Held.count
    for i in range(n):
        Held.__bases__ = (Two,)
        if i > 2: break
    assert before == 1
