# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""A dictionary gets an entry in the first round."""


def kernel(n):
    c = {}
    for i in range(n):
        c["x"] = c.get("x", 0) + 1
    assert c.get("x", 0) < 4
