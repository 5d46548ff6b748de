# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

class Held: pass

def kernel(n):
    for i in range(n):
        assert int(hasattr(Held, 'seen')) == 0
        Held.seen = i
