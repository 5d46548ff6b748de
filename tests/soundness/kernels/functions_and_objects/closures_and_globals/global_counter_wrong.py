# expect: 1 FAILED|UNKNOWN
# dims: 0..

count = 0

def kernel(n):
    global count
    for i in range(n):
        assert count < 3
        count += 1
