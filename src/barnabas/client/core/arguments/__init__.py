"""Arguments and properties as callers pass them, checked."""
