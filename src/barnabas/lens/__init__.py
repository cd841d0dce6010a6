"""Explain bytes on the wire field by field, and find mistakes in them.

Read-only; makes no decisions.

It is made for authors of drivers. It walks the declarations of `protocol` and `dialects` itself:
the codecs stop at the first mistake, this continues wherever it can. Speed does not matter here.
"""
