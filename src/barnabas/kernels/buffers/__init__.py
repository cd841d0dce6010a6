"""Shared by all kernels to read and write buffers: numbers, varints, copies, checksums."""
