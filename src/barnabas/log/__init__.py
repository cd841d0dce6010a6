"""One partition's log on disk, and all logs of a broker."""
