# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    count = 0
    def following():
        nonlocal count
        count += 1
        return count
    values = [following() for i in range(n)]
    for i in range(n):
        assert values[i] == 1
