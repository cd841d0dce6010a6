"""A broker in a cluster: its replicas, its ISR changes, and the controller."""
