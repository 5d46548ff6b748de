# expect: 1 FAILED|UNKNOWN
# dims: 0..

class State:
    def __init__(self):
        self._reads = 0
    @property
    def reads(self):
        self._reads += 1
        return self._reads

def kernel(n):
    state = State()
    for i in range(n):
        assert state.reads < 3
