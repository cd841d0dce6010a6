"""Records of the internal topics."""
