"""A year of real flights through the broker, the driver and Spark, checked against the source."""
