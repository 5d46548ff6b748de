# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    name = f"tile{n}"
    assert (name or "unnamed") is name
    assert str(n)
    names = []
    names.append(name or "(unnamed)")
    assert len(names) == 1
