# expect: 1 FAILED|UNKNOWN
# dims: 0..

def numbers(n):
    try:
        for i in range(n):
            yield i
    finally:
        pass

def kernel(n):
    total = 0
    for i in numbers(n):
        if i == 3:
            break
        total += 1
    assert total <= 2
