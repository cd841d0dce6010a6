"""Which records of a log compaction keeps."""
