# expect: 1 SUCCESSFUL
# dims: 1..
# solver: 10

def kernel(n, g):
    first = g
    while n % g or g * 4 > 32:
        g -= 1
    assert n % g == 0 and g <= 8 and g <= first
