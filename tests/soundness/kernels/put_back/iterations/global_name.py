# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

held = 0

def kernel(n):
    for i in range(n):
        assert held == 0
        globals()['held'] = held + 1 + i
