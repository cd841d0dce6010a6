"""The options of reads and writes, checked."""
