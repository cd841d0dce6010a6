"""Files behind the Disk port."""
