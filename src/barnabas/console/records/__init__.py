"""Find the records that a page asks for."""
