"""Forward kernels with backward kernels of theirs, right ones and wrong ones.

The docstring of a backward kernel says what `nkiverify grad` is to answer over the reals for each of its gradients,
why, and, of a wrong one, part of what is said of it. Parameters have the shapes in `SHAPES`, by file and name.
"""

SHAPES = {
    "linear": {"x": "f32[24,6]", "w": "f32[6,6]", "dy": "f32[24,6]"},
    "softmax": {"x": "f32[8,12]", "y": "f32[8,12]", "dy": "f32[8,12]"},
    "norms": {
        "x": "f32[16,12]",
        "dy": "f32[16,12]",
        "gamma": "f32[1,12]",
        "beta": "f32[1,12]",
        "weight": "f32[1,12]",
        "mean": "f32[16,1]",
        "rstd": "f32[16,1]",
    },
    "rope": {"x": "f32[8,12]", "dy": "f32[8,12]", "cos": "f32[8,6]", "sin": "f32[8,6]"},
    "attention": {**dict.fromkeys(("q", "k", "v", "o", "do"), "f32[16,4]"), "lse": "f32[16,1]"},
    "losses": {"logits": "f32[8,12]", "labels": "i32[8,1] in 0..11", "dloss": "f32[8,1]"},
    "swiglu": {"gate": "f32[8,12]", "up": "f32[8,12]", "dy": "f32[8,12]"},
    "embedding": {"table": "f32[6,4]", "tokens": "i32[16,1] in 0..5", "dy": "f32[16,4]"},
    "maxpool": {"x": "f32[8,12]", "y": "f32[8,6]", "dy": "f32[8,6]"},
    "one_way": {"x": "f32[8,12]", "dy": "f32[8,12]"},
}
