# expect: 1 SUCCESSFUL
# dims: 0..
"""A loop of the generator within another one."""
def g(n):
    for i in range(n):
        for j in range(4):
            yield i * 4 + j


def kernel(n):
    c = 0
    for x in g(n):
        c += 1
    assert c == 4 * n
