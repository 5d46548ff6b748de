# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    zeros = 0
    for i in range(n):
        try:
            x = 12 % (3 - i)
        except ZeroDivisionError:
            zeros = 1
    assert zeros == 0
