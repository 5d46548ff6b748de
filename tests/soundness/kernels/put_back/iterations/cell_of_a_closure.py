# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

def made():
    count = 0
    return lambda: count
held = made()

def kernel(n):
    for i in range(n):
        assert held() == 0
        held.__closure__[0].cell_contents = 1
