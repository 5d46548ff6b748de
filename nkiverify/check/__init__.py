"""`nkiverify check`: a kernel of the user's own file, with arguments described on the command line."""
