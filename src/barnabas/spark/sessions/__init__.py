"""Spark sessions on this machine, and the Java and Python that they start."""
