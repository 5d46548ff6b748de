# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

class Held:
    def made(self): return 0
    count = property(made)
held = Held()

def kernel(n):
    before = int(hasattr(Held.made, 'seen'))
    for i in range(n):
        Held.made.seen = 1
        Held.count.fget.seen = 1
        if i > 2: break
    assert before == 1
