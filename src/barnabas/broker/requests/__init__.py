"""Code that several APIs share and that needs the whole broker."""
