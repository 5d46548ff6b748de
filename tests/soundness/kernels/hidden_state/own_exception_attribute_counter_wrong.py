# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Stop(Exception):
    def __init__(self):
        self.count = 0
def kernel(n):
    state = Stop()
    for i in range(n):
        assert state.count < 3
        state.count += 1
