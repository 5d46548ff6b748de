# expect: 1 FAILED|UNKNOWN
# dims: 0..

def steps():
    count = 0
    while True:
        try:
            yield count
        except ValueError:
            count += 1
def kernel(n):
    it = steps()
    next(it)
    for i in range(n):
        assert it.throw(ValueError()) < 4
