# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Node:
    pass
def kernel(n):
    pairs = []
    for i in range(n):
        one = Node()
        one.size = i
        pairs.append((one, one))
    if n > 1:
        assert pairs[0][0] is not pairs[0][1]
