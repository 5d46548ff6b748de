"""Testing the verifier itself: random kernels against all their concrete runs, and mutants of the corpus."""
