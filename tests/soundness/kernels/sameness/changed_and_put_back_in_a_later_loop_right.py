# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..
"""What is read out of a list that a loop made is changed by another loop, which puts it back."""


def kernel(n):
    rows = [[i] for i in range(n)]
    if n < 3:
        return
    one = rows[0]
    for i in range(n):
        one.append(i)
        one.pop()
    assert len(rows[0]) == 1
