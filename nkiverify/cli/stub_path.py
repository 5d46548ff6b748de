"""`python -m nkiverify.cli.stub_path` prints the folder that holds `nki` and `neuronxcc`, for PYTHONPATH.

With it, programs that call `nki.simulate` run without the Neuron SDK (docs/simulate.md).
"""

from __future__ import annotations

from nkiverify.foundation import resources

if __name__ == "__main__":
    print(resources.root() / "stubs")
