"""The version of this package, written once."""

__version__ = "0.1.0"
