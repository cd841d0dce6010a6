"""Topics of one cluster in another, kept the same, with the positions of their groups."""
