"""What pages read of the cluster, kept for seconds."""
