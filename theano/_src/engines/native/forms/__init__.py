"""How nodes are written natively, by class of ops; `table` has them all."""
