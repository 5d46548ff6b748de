"""What instructions demand of their operands. Both API generations come here; stubs only adapt signatures."""
