"""Metrics of a broker, named as by the usual rules of Prometheus' JMX exporter."""
