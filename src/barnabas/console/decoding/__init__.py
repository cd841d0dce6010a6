"""Convert the bytes of records to readable text. No I/O, except for a schema registry."""
