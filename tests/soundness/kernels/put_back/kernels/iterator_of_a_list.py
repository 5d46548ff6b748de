# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

held = iter([0] * 9)

def kernel(n):
    before = 9 - held.__length_hint__()
    for i in range(n):
        next(held)
        if i > 2: break
    assert before == 1
