"""The cost of a kernel: bytes, descriptors, instructions, cycles, as formulas in its dimensions."""
