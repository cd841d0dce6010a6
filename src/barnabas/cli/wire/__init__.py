"""`barnabas wire`."""
