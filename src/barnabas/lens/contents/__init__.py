"""The contents of messages: batches, records, tokens."""
