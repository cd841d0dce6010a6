"""The names of codecs, as `compression.type` has them."""

CODECS = ("gzip", "snappy", "lz4", "zstd")
PRODUCED = ("none", *CODECS)
"""What a producer may choose."""
STORED = ("uncompressed", *reversed(CODECS), "producer")
"""What a topic may be stored in; producer keeps the producer's."""
