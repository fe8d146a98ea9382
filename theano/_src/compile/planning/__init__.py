"""Plans of functions for chips that are elsewhere: from shapes to a report."""
