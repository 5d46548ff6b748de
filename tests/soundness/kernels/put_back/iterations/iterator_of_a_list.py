# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

held = iter([0] * 9)

def kernel(n):
    for i in range(n):
        assert 9 - held.__length_hint__() == 0
        next(held)
