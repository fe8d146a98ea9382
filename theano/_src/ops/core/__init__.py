"""Elementwise ops and what every family is made of: ScalarOp, Elemwise, Composite, Cast."""
