# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

def held(*, x=0): return x

def kernel(n):
    for i in range(n):
        assert held() == 0
        held.__kwdefaults__['x'] = 1
