# expect: 1 FAILED|UNKNOWN
# dims: 0..

class A:
    count = 0
    def __index__(self):
        A.count += 1
        return A.count
def kernel(n):
    A.count = 0
    a = A()
    data = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    for i in range(n):
        assert data[a] < 4
