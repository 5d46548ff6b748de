"""Reports: what a session found, as text. Everything but `progress` and the writing of files is a pure function."""
