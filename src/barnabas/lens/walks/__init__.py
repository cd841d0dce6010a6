"""Walks over bytes: fields, parts, words."""
