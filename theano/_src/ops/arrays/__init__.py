"""Functions of whole arrays: choosing, sorting, padding, diagonals, cumulative sums."""
