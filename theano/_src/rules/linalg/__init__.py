"""Facts about matrices and the rules that use them."""
