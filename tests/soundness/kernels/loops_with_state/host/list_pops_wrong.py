# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""A list loses an element in each round."""
def kernel(n):
    c = [1, 2, 3, 4]
    for i in range(n):
        c.pop()
