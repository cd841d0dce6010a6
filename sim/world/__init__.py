"""The simulated world: network, disk, clock, chance, and the broker in it."""
