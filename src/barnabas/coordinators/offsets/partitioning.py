"""Which partition of __consumer_offsets a group belongs to: Java's String.hashCode of its id."""


def partition_for(group_id: str, partitions: int) -> int:
    """Source: Kafka's GroupCoordinatorService.partitionFor: Utils.abs(hashCode) % partitions."""
    hashed = 0
    units = group_id.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        hashed = (31 * hashed + (high << 8 | low)) & 0xFFFFFFFF
    if hashed == 0x80000000:
        # The one number without a positive counterpart.
        return 0
    return (hashed if hashed < 0x80000000 else (1 << 32) - hashed) % partitions
