"""What several APIs need of the whole broker."""
