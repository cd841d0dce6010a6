"""What all kernels read and write buffers with: numbers, varints, copies, checksums."""
