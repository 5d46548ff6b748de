# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..2

class Held: pass

def kernel(n, m):
    before = int(hasattr(Held, 'seen'))
    i = 1
    if n > m:
        Held.seen = i
        assert before == 0
    else:
        assert int(hasattr(Held, 'seen')) == before
        assert int(hasattr(Held, 'seen')) == 0
