# expect: 1 FAILED nl.operand_on_chip:13
# expect: 4 FAILED df.output_written
# args: ::adds --arg 'x=f32[128,64]' --arg 'y=f32[128,64]' --arg 'groups=[4,8]'
import nki
import nki.language as nl


@nki.jit
def adds(x, y, groups):
    """What phase 1 finds of one operand does not end the launch of phase 4."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for number in groups:
        nl.store(out[:, 0:number], nl.add(nl.load(x), y)[:, 0:number])
    return out
