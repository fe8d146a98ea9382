"""Rewrites of softmax and crossentropy."""
