# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

class Held: count = 0
held = Held()

def kernel(n):
    for i in range(n):
        assert held.count == 0
        held.__dict__ = {'count': 1}
