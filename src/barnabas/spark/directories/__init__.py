"""`format("barnabas-log")`: log directories of any Kafka read without a broker.

The driver lists directories and looks offsets up in indexes; each task reads one stretch of one
segment's file. Nothing is written, and no index is believed that its batches do not bear out.
"""
