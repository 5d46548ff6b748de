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
    made = []
    for i in range(n):
        state = State()
        state.number = i
        made.append(state)
    for k in range(n):
        assert made[k].number < 3
