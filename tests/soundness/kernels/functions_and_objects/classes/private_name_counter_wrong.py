# expect: 1 FAILED|UNKNOWN
# dims: 0..

class State:
    __slots__ = ("__count",)
    def __init__(self):
        self.__count = 0
    def step(self):
        self.__count += 1
        return self.__count

def kernel(n):
    state = State()
    for i in range(n):
        assert state.step() < 3
