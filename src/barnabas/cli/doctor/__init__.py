"""`barnabas doctor`: what this machine offers Barnabas, and what to change."""
