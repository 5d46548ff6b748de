# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    entries = [{'a': i} for i in range(n)]
    if n > 1:
        first = entries[0]
        first['b'] = first.pop('a')
        assert 'a' in entries[0]
