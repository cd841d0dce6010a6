"""Which partition of __consumer_offsets a group belongs to: Java's String.hashCode of its id."""

from barnabas.kernels.columns.partitioning import java_hash


def partition_for(group_id: str, partitions: int) -> int:
    """Source: Kafka's GroupCoordinatorService.partitionFor: Utils.abs(hashCode) % partitions."""
    hashed = java_hash(group_id.encode("utf-16-be", "surrogatepass"))
    if hashed == 0x80000000:
        # The one number without a positive counterpart.
        return 0
    return (hashed if hashed < 0x80000000 else (1 << 32) - hashed) % partitions
