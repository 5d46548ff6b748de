"""Pairs of small kernels, one rewrite each: `name_a` is the kernel, `name_b` the rewritten one.

The docstring of `name_b` says what `nkiverify equiv` is to answer, and why: `reals`, then `floats`, then
`defined` where it is not EQUAL. Parameters have the shapes in `SHAPES` by their names.
"""

SHAPES = {
    "x": "f32[4,8]",
    "y": "f32[4,8]",
    "z": "f32[4,8]",
    "c": "f32[4,1]",
    "d": "f32[4,1]",
    "w": "f32[8,4]",
    "s": "f32[16,4]",
    "m": "f32[16,8]",
    "n": "f32[16,8]",
    "h": "bf16[4,8]",
    "b": "i8[4,8]",
    "i": "i32[4,8] in 0..7",
    "j": "i32[4,8]",
}
