# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..

def kernel(n):
    held = ValueError(0)
    held.seen = 0
    for i in range(n):
        held.args = (held.args[0] + 1,)
        held.seen = held.seen + i
    assert held.args[0] == n and 2 * held.seen == n * n - n
