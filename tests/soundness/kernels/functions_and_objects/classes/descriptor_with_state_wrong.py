# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Counting:
    def __init__(self):
        self.count = 0
    def __get__(self, instance, owner):
        self.count += 1
        return self.count

class State:
    value = Counting()

def kernel(n):
    state = State()
    for i in range(n):
        assert state.value < 3
