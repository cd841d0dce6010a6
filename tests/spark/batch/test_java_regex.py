"""`subscribePattern` against Java's own regular expressions, which the session's JVM has."""

import re

import pytest
from pyspark.sql import SparkSession

from barnabas.spark.options.java_patterns import python_pattern

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

NAMES = [
    "",
    "a",
    "Z",
    "9",
    ".",
    "_",
    "-",
    "dogs-2013",
    "Dogs.EU",
    "a1_b2",
    "xb",
    "ABC",
    "a.b",
]
CLASSES = [
    *("Lower", "Upper", "ASCII", "Alpha", "Digit", "Alnum", "Punct", "Graph", "Print", "XDigit"),
    *("Blank", "Cntrl", "Space", "L", "Lu", "Ll", "N", "Nd", "P", "Pd", "Pc", "Po"),
    *("IsAlphabetic", "IsLetter", "IsLowercase", "IsUppercase", "IsDigit", "IsPunctuation"),
    *("javaLowerCase", "javaUpperCase", "IsL", "IsLu"),
]
PATTERNS = [
    *(rf"\p{{{each}}}*" for each in CLASSES),
    *(rf"[.x\P{{{each}}}]+" for each in CLASSES),
    *(
        r"\pL+\P{L}*",
        r"\Qa.b\E|[^]a]b",
        r"(?<x>\p{Alpha}+)[-._]\d{4}\z",
        r"[^\p{Lu}.]*+",
        r"(?i)abc",
    ),
]


def test_python_matches_the_names_that_java_matches(spark: SparkSession) -> None:
    jvm = spark._jvm
    assert jvm is not None
    java = {
        pattern: [name for name in NAMES if jvm.java.util.regex.Pattern.matches(pattern, name)]
        for pattern in PATTERNS
    }
    ours = {
        pattern: [name for name in NAMES if re.fullmatch(python_pattern(pattern), name)]
        for pattern in PATTERNS
    }
    assert ours == java
