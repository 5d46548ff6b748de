# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    table = {0: 0}
    for key in table:
        if n > 2:
            table[key + 1] = 0
