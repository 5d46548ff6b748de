# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

class One: count = 0
class Two: count = 1
class Held(One): pass

def kernel(n):
    for i in range(n):
        assert Held.count == 0
        Held.__bases__ = (Two,)
