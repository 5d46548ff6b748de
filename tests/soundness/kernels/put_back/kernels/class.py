# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

class Held: pass

def kernel(n):
    before = int(hasattr(Held, 'seen'))
    for i in range(n):
        Held.seen = i
        if i > 2: break
    assert before == 1
