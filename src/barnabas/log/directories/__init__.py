"""Log directories as a whole: owners, locks, checkpoints, inventory."""
