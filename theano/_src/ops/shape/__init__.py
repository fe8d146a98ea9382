"""Shapes, dimensions, allocation of arrays, joining and splitting."""
