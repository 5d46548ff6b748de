# expect: 2 FAILED host.division_by_zero:6
# dims: 0..

def kernel(n):
    if n == 3:
        1 // 0
