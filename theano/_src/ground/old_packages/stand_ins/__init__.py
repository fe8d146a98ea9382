"""Modules that take the place of those that are gone, each under the name of the old one."""
