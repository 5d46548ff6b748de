"""Products: uses of programs and their verdicts beyond deciding one. Commands name them; nothing below imports them."""
