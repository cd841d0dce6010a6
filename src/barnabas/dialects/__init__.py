"""The wire languages: frames to neutral commands, outcomes to frames."""
