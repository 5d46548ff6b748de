"""What every room stands on: kinds of errors, places in source, plain records of what was found."""
