# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    box = [0]
    def step():
        box[0] += 1
        return box[0]
    it = iter(step, 100)
    for i in range(n):
        assert next(it) < 4
