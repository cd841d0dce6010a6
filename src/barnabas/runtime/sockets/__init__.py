"""TCP sockets behind the Channel and Network ports."""
