# expect: 1 FAILED|UNKNOWN
# dims: 0..

def make():
    seen = []
    def count(self):
        seen.append(1)
        return len(seen)
    return type("A", (), {"count": property(count)})
def kernel(n):
    a = make()()
    for i in range(n):
        assert a.count < 3
