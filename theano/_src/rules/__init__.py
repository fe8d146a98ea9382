"""Layer 8: rules across ops, and the pipeline that puts all rules in order."""
