# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Node:
    pass
def kernel(n):
    first = Node()
    last = first
    names = [first]
    for i in range(n):
        assert last in names
        last = Node()
