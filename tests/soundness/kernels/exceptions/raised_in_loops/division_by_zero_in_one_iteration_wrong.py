# expect: 2 FAILED host.division_by_zero:6
# dims: 0..

def kernel(n):
    for i in range(n):
        x = 12 % (3 - i)
