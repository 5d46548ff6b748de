# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

class Held:
    kept = 0
    @property
    def count(self): return self.kept
    @count.setter
    def count(self, value): self.kept = value
held = Held()

def kernel(n):
    before = held.count
    for i in range(n):
        held.count = held.count + 1 + i
        if i > 2: break
    assert before == 1
