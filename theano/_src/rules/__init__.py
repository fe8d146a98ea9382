"""Rules across ops, and the pipeline that puts all rules in order."""
