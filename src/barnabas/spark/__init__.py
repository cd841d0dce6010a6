"""The Spark connector: a Python Data Source."""

from importlib.util import find_spec

if find_spec("pyspark") is None:
    raise ImportError(
        "barnabas.spark needs PySpark, pyarrow and Java: pip install '.[spark]' in a copy of the "
        "project brings the first two, and a Java where there is none",
        name="pyspark",
    )
