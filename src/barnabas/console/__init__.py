"""A web console for any Kafka: pages from the server, live values by server-sent events.

It is an ordinary client (`barnabas.aio`), and needs the packages of `barnabas[console]`.
"""
