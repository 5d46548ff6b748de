# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Base:
    count = 0

class State(Base):
    pass

def kernel(n):
    Base.count = 0
    for i in range(n):
        assert State.count < 3
        Base.count += 1
