"""One small adapter per client, so that a test is written once and run with each of them."""
