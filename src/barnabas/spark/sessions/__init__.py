"""Sessions on this machine, and the Java that they need."""
