# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


def kernel(n):
    """`left` is the list of before the loop itself, whatever that holds."""
    box, left = [0], [5]
    for i in range(n):
        box[0] = i
        left = box
    box[0] = 99
    assert n < 1 or left[0] == n - 1
