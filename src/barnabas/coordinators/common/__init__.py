"""What the coordinators of all kinds share."""
