# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    async def work():
        count = 0
        for i in range(n):
            count += 1
        return count
    steps = work()
    try:
        steps.send(None)
    except StopIteration as stop:
        assert stop.value < 3
