# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Meta(type):
    made = 0
    def __call__(cls):
        Meta.made += 1
        return super().__call__()

class Tile(metaclass=Meta):
    pass

def kernel(n):
    for i in range(n):
        Tile()
    assert Meta.made < 3
