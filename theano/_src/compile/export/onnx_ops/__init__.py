"""Which op becomes which operators of ONNX, family by family; `export_onnx` runs the table."""
