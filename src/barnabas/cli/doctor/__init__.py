"""`barnabas doctor`: checks this machine."""
