# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..2

class Held: count = 0
held = Held()

def kernel(n, m):
    before = held.count
    i = 1
    if n > m:
        held.count = held.count + 1 + i
        assert before == 0
    else:
        assert held.count == before
        assert held.count == 0
