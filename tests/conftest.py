"""For every test: properties are judged by what they find, not by how long an example took."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
