"""Shapes, dimensions, arrays made from sizes, joining and splitting."""
