"""Non-mathematical ops: assertions, printing, Python and C functions, control of gradients."""
