# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass

def kernel(n):
    box = Box()
    for i in range(n):
        setattr(box, f"tile{i}", i)
    assert len(vars(box)) < 3
