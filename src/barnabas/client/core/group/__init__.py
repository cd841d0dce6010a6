"""Group membership as a state machine, and the assignors of partitions. No I/O."""
