"""Which engine runs a call: what calls cost, and what compiling costs."""
