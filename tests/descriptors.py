"""Descriptors of Protocol Buffers, without `protoc`: a file of animals for the tests of several folders."""

from typing import Any

from google.protobuf import descriptor_pb2, text_format

_ANIMALS = """
name: "animals.proto"
package: "animals"
syntax: "proto3"
dependency: "google/protobuf/timestamp.proto"
dependency: "google/protobuf/duration.proto"
enum_type {
  name: "Kind"
  value { name: "NONE" number: 0 }
  value { name: "DOG" number: 1 }
  value { name: "CAT" number: 2 }
}
message_type {
  name: "Sound"
  field { name: "name" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
  field { name: "age" number: 2 type: TYPE_SINT32 label: LABEL_OPTIONAL }
  field { name: "count" number: 3 type: TYPE_INT64 label: LABEL_OPTIONAL }
  field { name: "weight" number: 4 type: TYPE_DOUBLE label: LABEL_OPTIONAL }
  field { name: "loud" number: 5 type: TYPE_BOOL label: LABEL_OPTIONAL }
  field { name: "kind" number: 6 type: TYPE_ENUM type_name: ".animals.Kind" label: LABEL_OPTIONAL }
  field { name: "raw" number: 7 type: TYPE_BYTES label: LABEL_OPTIONAL }
  field { name: "owner" number: 8 type: TYPE_MESSAGE type_name: ".animals.Sound.Ear" label: LABEL_OPTIONAL }
  field { name: "at" number: 9 type: TYPE_MESSAGE type_name: ".google.protobuf.Timestamp"
          label: LABEL_OPTIONAL }
  field { name: "took" number: 10 type: TYPE_MESSAGE type_name: ".google.protobuf.Duration"
          label: LABEL_OPTIONAL }
  field { name: "maybe" number: 11 type: TYPE_INT32 label: LABEL_OPTIONAL
          proto3_optional: true oneof_index: 1 }
  field { name: "far" number: 12 type: TYPE_UINT32 label: LABEL_OPTIONAL }
  field { name: "huge" number: 13 type: TYPE_FIXED64 label: LABEL_OPTIONAL }
  field { name: "dog" number: 14 type: TYPE_STRING label: LABEL_OPTIONAL oneof_index: 0 }
  field { name: "cat" number: 15 type: TYPE_STRING label: LABEL_OPTIONAL oneof_index: 0 }
  field { name: "tags" number: 16 type: TYPE_STRING label: LABEL_REPEATED }
  field { name: "homes" number: 17 type: TYPE_MESSAGE type_name: ".animals.Sound.HomesEntry"
          label: LABEL_REPEATED }
  field { name: "ears" number: 18 type: TYPE_MESSAGE type_name: ".animals.Sound.Ear"
          label: LABEL_REPEATED }
  field { name: "kinds" number: 19 type: TYPE_ENUM type_name: ".animals.Kind" label: LABEL_REPEATED }
  oneof_decl { name: "who" }
  oneof_decl { name: "_maybe" }
  nested_type {
    name: "Ear"
    field { name: "name" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
  }
  nested_type {
    name: "HomesEntry"
    field { name: "key" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
    field { name: "value" number: 2 type: TYPE_INT64 label: LABEL_OPTIONAL }
    options { map_entry: true }
  }
}
message_type {
  name: "Smell"
  field { name: "strength" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
}
"""


def described(*files: str) -> bytes:
    """A descriptor set of files in protobuf's text form, as `protoc --descriptor_set_out` writes."""
    parsed = [text_format.Parse(each, descriptor_pb2.FileDescriptorProto()) for each in files]
    return bytes(descriptor_pb2.FileDescriptorSet(file=parsed).SerializeToString())


ANIMALS = described(_ANIMALS)
"""`animals.Sound` and `animals.Smell`; google/protobuf is not in it, as protoc leaves it out."""


def message(made: Any, fields: dict[str, Any]) -> Any:
    """A message with these fields: names of enums as text, bytes as bytes."""
    found = made(**{name: value for name, value in fields.items() if name != "owner"})
    if "owner" in fields:
        found.owner.SetInParent()
        found.owner.MergeFrom(type(found.owner)(**fields["owner"]))
    return found
