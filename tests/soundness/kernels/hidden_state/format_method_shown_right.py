# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    name = "tile_{}".format(n)
    t = name + "x"
    assert n >= 0
