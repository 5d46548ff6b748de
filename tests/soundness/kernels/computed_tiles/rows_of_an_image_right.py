# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[B,H,W:1..512,C:1..128]'
# shapes: B=1..2 H=1..3 W=1..5 C=3
"""As many rows of an image as fit, one at least; the last tile is ragged."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    images, height, width, channels = x.shape
    out = nl.ndarray((images, channels, height, width), dtype=x.dtype, buffer=nl.shared_hbm)
    most = max(1, 4 // width)
    for image in range(images):
        for number in range((height + most - 1) // most):
            first = number * most
            count = min(most, height - first)
            tile = nl.ndarray((channels, most, width), dtype=x.dtype, buffer=nl.sbuf)
            rows = x.ap(
                pattern=[[1, channels], [width * channels, count], [channels, width]],
                offset=(image * height + first) * width * channels,
            )
            nisa.dma_copy(dst=tile[:, :count, :], src=rows)
            nisa.dma_copy(dst=out[image, :, first : first + count, :], src=tile[:, :count, :])
    return out
