"""The Spark connector: a Python Data Source."""
