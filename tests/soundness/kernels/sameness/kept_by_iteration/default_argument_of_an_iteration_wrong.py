# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Node:
    pass
def marked(value, mark):
    value.mark = mark
    return value
def make(i):
    def last():
        pass
    last.mark = i
    return last
def kernel(n):
    kept = []
    for i in range(n):
        kept.append(lambda number=i: number)
    if n > 1:
        one, two = kept[0], kept[n - 1]
        assert one() == two()
