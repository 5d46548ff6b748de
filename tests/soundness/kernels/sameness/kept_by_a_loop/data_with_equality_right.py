# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..


from dataclasses import dataclass


@dataclass
class Box:
    value: int


def kernel(n):
    kept = []
    for i in range(n):
        kept.append(Box(i))
    if n > 3:
        assert kept[0] == Box(0) and kept[1] != Box(0)
