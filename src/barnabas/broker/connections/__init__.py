"""Client connections: frames to requests, outcomes to responses."""
