"""Elementwise ops and the base that every family uses: ScalarOp, Elemwise, Composite, Cast."""
