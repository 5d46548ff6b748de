# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    text = f'{n}'
    assert '{}'.format([text]) != "['3']"
