"""Functions on buffers: chosen once, compiled or as they are."""
