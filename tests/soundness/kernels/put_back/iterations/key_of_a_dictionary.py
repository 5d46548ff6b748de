# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

class Held: count = 0
held = {Held(): 1}

def kernel(n):
    for i in range(n):
        assert next(iter(held)).count == 0
        next(iter(held)).count = 1
