"""The state of the cluster as pages read it, cached for seconds."""
