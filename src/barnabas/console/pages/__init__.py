"""The pages, a file each: they read the cluster and fill a template."""
