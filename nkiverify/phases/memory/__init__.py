"""Phase 3: what is live in SBUF and PSUM while a kernel runs, for all shapes at once and on one concrete run."""
