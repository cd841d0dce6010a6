import pyarrow as pa

from barnabas.spark.values.framing import NULL, UNFRAMED, schema_ids


def test_ids_of_values_also_of_a_part_of_an_array() -> None:
    values = [
        b"x",
        b"\0\0\0\0\x07",
        b"\0\xff\xff\xff\xffabc",
        None,
        b"\0\0\0\0",
        b"",
        b"\1\0\0\0\7",
    ]
    found = [UNFRAMED, 7, 2**32 - 1, NULL, UNFRAMED, UNFRAMED, UNFRAMED]
    assert schema_ids(pa.array(values, pa.binary())).tolist() == found
    assert schema_ids(pa.array(values, pa.binary()).slice(1, 3)).tolist() == found[1:4]
    assert schema_ids(pa.array([None], pa.binary())).tolist() == [NULL]
    assert schema_ids(pa.array([], pa.binary())).tolist() == []
