# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

held = set()

def kernel(n):
    before = len(held)
    for i in range(n):
        held.add(i)
        if i > 2: break
    assert before == 1
