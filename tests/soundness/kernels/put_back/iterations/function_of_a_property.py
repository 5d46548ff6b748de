# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

class Held:
    def made(self): return 0
    count = property(made)
held = Held()

def kernel(n):
    for i in range(n):
        assert int(hasattr(Held.made, 'seen')) == 0
        Held.made.seen = 1
        Held.count.fget.seen = 1
