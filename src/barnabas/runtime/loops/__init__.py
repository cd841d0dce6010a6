"""Event loops, timers and signals."""
