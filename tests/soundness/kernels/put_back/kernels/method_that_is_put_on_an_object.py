# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

class Held:
    def count(self): return 0
held = Held()

def kernel(n):
    before = held.count()
    for i in range(n):
        held.count = lambda: 1
        if i > 2: break
    assert before == 1
