# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

class Held(dict): pass
held = Held()

def kernel(n):
    for i in range(n):
        assert len(held) == 0
        held[i] = 1
