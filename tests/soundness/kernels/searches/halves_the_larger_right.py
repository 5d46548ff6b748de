# expect: 1 SUCCESSFUL
# dims: 1..
# shapes: 1..29:4

def kernel(w, h):
    while w * h > 64:
        if w > h:
            w //= 2
        else:
            h = h // 2
    assert w * h <= 64 and w >= 1 and h >= 1
