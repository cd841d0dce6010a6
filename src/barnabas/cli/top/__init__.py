"""`barnabas top`: samples of a cluster, the rates between two of them, and their screen."""
