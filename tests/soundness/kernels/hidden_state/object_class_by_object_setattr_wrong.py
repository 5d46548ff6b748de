# expect: 1 FAILED|UNKNOWN
# dims: 0..

class A:
    value = 1
class B:
    value = 2
def kernel(n):
    state = A()
    for i in range(n):
        assert state.value == 1
        object.__setattr__(state, "__class__", B)
