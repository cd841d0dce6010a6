"""One run from one seed: who is there, what goes wrong, what must hold at the end."""
