from barnabas.types import Buffer

def one_partition(
    frame: Buffer, said: Buffer, flexible: bool
) -> tuple[int, int, int, int] | None: ...
