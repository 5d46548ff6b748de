# expect: 1 FAILED|UNKNOWN
# dims: 0..

class Box:
    pass

def kernel(n):
    box = Box()
    for i in range(n):
        assert "kind" not in box.__dict__
        box.__dict__ = {"kind": 1}
