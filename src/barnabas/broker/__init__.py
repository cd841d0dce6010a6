"""The broker: joins logs, coordinators and the wire."""
