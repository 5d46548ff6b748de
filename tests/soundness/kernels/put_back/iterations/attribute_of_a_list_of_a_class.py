# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

class Held(list): pass
held = Held()

def kernel(n):
    for i in range(n):
        assert int(hasattr(held, 'seen')) == 0
        held.seen = i
