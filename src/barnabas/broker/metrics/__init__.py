"""Metrics of a broker, under the names that the usual rules of Prometheus' JMX exporter give Kafka's."""
