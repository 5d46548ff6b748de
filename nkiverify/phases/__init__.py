"""What each phase claims, and how its claims are confirmed on concrete runs."""
