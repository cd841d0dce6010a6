"""One replica of one partition: what a leader and a follower decide, without I/O and without a clock."""
