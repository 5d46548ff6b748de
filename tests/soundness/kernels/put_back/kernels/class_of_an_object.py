# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

class Held: count = 0
class Other: count = 1
held = Held()

def kernel(n):
    before = held.count
    for i in range(n):
        held.__class__ = Other
        if i > 2: break
    assert before == 1
