"""`format("barnabas-log")`: log directories of any Kafka read without a broker.

The driver lists directories and looks up offsets in indexes; each task reads a part of one segment's file.
Nothing is written, and index entries are checked against the batches.
"""
