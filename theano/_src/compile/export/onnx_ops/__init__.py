"""The ONNX operators of each op, by family; `export_onnx` uses this table."""
