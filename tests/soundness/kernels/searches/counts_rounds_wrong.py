# expect: 1 FAILED|UNKNOWN
# dims: 1..
# args: --timeout 1
# shapes: 1..13

def kernel(n, w):
    rounds = 1
    while n % w:
        w -= 1
        rounds += 1
    assert rounds < 6
