# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Meta(type):
    count = 0
    def __instancecheck__(cls, value):
        Meta.count += 1
        return Meta.count < 4
class A(metaclass=Meta):
    pass
def kernel(n):
    Meta.count = 0
    for i in range(n):
        assert isinstance(3, A)
