"""What bytes on the wire say, field by field, and where they are wrong. Reads, and never decides.

Made for people who write drivers. It walks the declarations of `protocol` and `dialects` itself, as
slowly as need be: the codecs stop at the first mistake, this goes on wherever it can.
"""
