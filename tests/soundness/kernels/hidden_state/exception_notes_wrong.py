# expect: 1 FAILED|UNKNOWN
# dims: 0..

def kernel(n):
    state = ValueError()
    for i in range(n):
        assert len(getattr(state, "__notes__", ())) < 3
        state.add_note("x")
