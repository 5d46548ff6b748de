"""The foundation of every room: kinds of errors, places in source, plain records of what was found."""
