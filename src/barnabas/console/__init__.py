"""A web console for any Kafka: pages from the server, live values by server-sent events.

It is a client as others are (`barnabas.aio`), and needs the packages of `barnabas[console]`.
"""
