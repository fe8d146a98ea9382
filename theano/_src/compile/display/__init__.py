"""What notebooks and pages show of functions and of rewriting."""
