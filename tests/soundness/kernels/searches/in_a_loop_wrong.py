# expect: 1 FAILED|UNKNOWN
# dims: 1..
# args: --timeout 2
# shapes: 1..9

def kernel(n, w):
    total = 0
    for i in range(n):
        v = w
        while (n + i) % v:
            v -= 1
        total += v
    assert total <= 4 * n
