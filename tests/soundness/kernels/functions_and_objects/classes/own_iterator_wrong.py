# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Numbers:
    def __init__(self):
        self.count = 0
    def __iter__(self):
        return self
    def __next__(self):
        self.count += 1
        return self.count

def kernel(n):
    numbers = Numbers()
    for i in range(n):
        assert next(numbers) < 3
