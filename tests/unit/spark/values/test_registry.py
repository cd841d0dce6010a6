import pytest

from barnabas.spark.errors import Unreachable
from barnabas.spark.values.registry import Reference, SchemaMissing, SchemaRegistry
from tests.registry_double import registry_double


def test_a_schema_is_asked_for_once_and_the_latest_each_time() -> None:
    with registry_double() as double:
        number = double.register("dogs/big-value", {"schema": '"int"'})
        registry = SchemaRegistry.at(f" {double.url}/ ", None)
        for _ in range(3):
            assert registry.by_id(number).text == '"int"'
            assert registry.latest("dogs/big-value").kind is None
            assert registry.version(Reference("", "dogs/big-value", 1)).text == '"int"'
        double.register("dogs/big-value", {"schema": "x", "schemaType": "PROTOBUF"})
        latest = registry.latest("dogs/big-value", serialized=True)
        assert (latest.text, latest.kind) == ("x", "PROTOBUF")
    latest_path = "/subjects/dogs%2Fbig-value/versions/latest"
    assert double.asked.count("/schemas/ids/1") == 1
    assert double.asked.count("/subjects/dogs%2Fbig-value/versions/1") == 1
    assert double.asked.count(latest_path) == 3
    assert double.asked[-1] == f"{latest_path}?format=serialized"


def test_what_is_not_there_is_missing_and_asked_for_again() -> None:
    with registry_double() as double:
        registry = SchemaRegistry.at(double.url, None)
        for _ in range(2):
            with pytest.raises(SchemaMissing, match="/schemas/ids/1 is not there"):
                registry.by_id(1)
        double.register("dogs", {"schema": '"int"'})
        assert registry.by_id(1).text == '"int"'


def test_a_login_of_its_own_or_of_the_address_which_no_message_shows() -> None:
    with registry_double("rex:bone b") as double:
        double.register("dogs", {"schema": '"int"'})
        assert SchemaRegistry.at(double.url, "rex:bone b").by_id(1).text == '"int"'
        address = double.url.replace("://", "://rex:bone%20b@")
        assert SchemaRegistry.at(address, None).latest("dogs").text == '"int"'
        wrong = SchemaRegistry.at(double.url.replace("://", "://rex:secret@"), None)
        assert "secret" not in repr(wrong)
        with pytest.raises(Unreachable, match="answered 401.*schemaRegistryLogin") as caught:
            wrong.by_id(1)
        assert "secret" not in str(caught.value)


def test_the_next_address_answers_for_one_that_does_not() -> None:
    with registry_double() as double:
        double.register("dogs", {"schema": '"int"'})
        both = SchemaRegistry.at(f"http://127.0.0.1:1,{double.url}", None)
        assert both.by_id(1).text == '"int"'
    with pytest.raises(Unreachable, match=r"127.0.0.1:1: .*refused.*Check 'schemaRegistryUrl'"):
        SchemaRegistry.at("http://127.0.0.1:1", None).by_id(1)


def test_an_answer_that_is_none_of_a_registry() -> None:
    with registry_double() as double:
        double.schemas.append({"dog": "barks"})
        with pytest.raises(Unreachable, match="did not answer as a schema registry: .*barks"):
            SchemaRegistry.at(double.url, None).by_id(1)


@pytest.mark.parametrize("text", ["", "localhost:8081", "file:///etc/passwd", "http://", " , "])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match="http://host:port"):
        SchemaRegistry.at(text, None)
