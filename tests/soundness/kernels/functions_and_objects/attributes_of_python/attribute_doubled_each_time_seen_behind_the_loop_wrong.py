# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass

def kernel(n):
    box = Box()
    box.count = 0
    for i in range(n):
        box.count += box.count + 1
    assert box.count <= n + 1
