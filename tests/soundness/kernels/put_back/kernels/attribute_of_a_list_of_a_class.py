# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

class Held(list): pass
held = Held()

def kernel(n):
    before = int(hasattr(held, 'seen'))
    for i in range(n):
        held.seen = i
        if i > 2: break
    assert before == 1
