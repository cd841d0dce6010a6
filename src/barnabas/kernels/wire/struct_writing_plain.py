"""`struct_writing` where nothing is compiled: generated Python writes faster than this could in Python."""


class Writer:
    """There is none."""
