# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

held = 0

def kernel(n):
    before = held
    for i in range(n):
        globals()['held'] = held + 1 + i
        if i > 2: break
    assert before == 1
