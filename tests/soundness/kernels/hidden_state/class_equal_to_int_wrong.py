# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Meta(type):
    def __hash__(cls):
        return hash(int)
    def __eq__(cls, other):
        return True
class State(metaclass=Meta):
    pass
def kernel(n):
    state = State()
    state.count = 0
    for i in range(n):
        assert state.count < 3
        state.count += 1
