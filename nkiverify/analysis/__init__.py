"""What a program does to the elements of its tensors: sets, marks, values, lifetimes."""
