# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

class Held: count = 0
held = {Held(): 1}

def kernel(n):
    before = next(iter(held)).count
    for i in range(n):
        next(iter(held)).count = 1
        if i > 2: break
    assert before == 1
