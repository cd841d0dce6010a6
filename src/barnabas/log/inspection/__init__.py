"""Files of a log directory seen from outside, broken ones too."""
