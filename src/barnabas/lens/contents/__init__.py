"""What messages carry: batches, records, tokens."""
