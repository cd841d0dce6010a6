"""For users' tests: a broker in process, pytest fixtures."""
