# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

def made():
    yield from range(9)
held = made()

def kernel(n):
    before = 0 if held.gi_frame.f_lasti < 6 else 1
    for i in range(n):
        next(held)
        if i > 2: break
    assert before == 1
