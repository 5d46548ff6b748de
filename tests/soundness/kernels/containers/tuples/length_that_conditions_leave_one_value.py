# expect: 1 SUCCESSFUL
# dims: 0..

def kernel(n):
    if n < 4 or n > 7:
        return
    kept = []
    for i in range(n // 4):
        kept.append(i + n)
    (only,) = kept
    assert only == n
