"""One replica of one partition: the decisions of leader and follower, without I/O and clock."""
