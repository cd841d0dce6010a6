"""`barnabas serve`: its options, the properties that they give a broker, and the console beside it."""
