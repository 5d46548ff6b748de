"""Annotations of kernel parameters: `nt.tensor[128, 512]`. Shapes come from the domain; annotations are not read."""

from __future__ import annotations

from typing import Any


class _TensorAnnotation:
    """`nt.tensor`, with or without a shape in brackets."""

    def __getitem__(self, shape: Any) -> _TensorAnnotation:
        return self


tensor = _TensorAnnotation()
