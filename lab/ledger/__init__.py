"""The ledger: what the tool says of every subject there is, as lines of JSON, and what changed between two of them."""
