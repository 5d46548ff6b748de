# expect: 1 FAILED|UNKNOWN
# dims: 0..

def make():
    seen = []
    def count():
        seen.append(1)
        return len(seen)
    class A:
        step = staticmethod(count)
    return A
def kernel(n):
    a = make()
    for i in range(n):
        assert a.step() < 3
