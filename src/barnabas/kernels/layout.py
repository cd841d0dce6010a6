"""Numbers that kernels and their callers agree on: columns of tables, cells of state, error codes."""

# A batch table is int64[rows * WIDTH], one row for each batch, with these columns.
POSITION = 0  # where the batch starts in its buffer
SIZE = 1  # all of it, with the 12 bytes before the length ends
BASE_OFFSET = 2
LAST_DELTA = 3
CRC = 4
ATTRIBUTES = 5
BASE_TIMESTAMP = 6
MAX_TIMESTAMP = 7
PRODUCER_ID = 8
COUNT = 9
START = 10  # where the records start and end in the buffer that holds them uncompressed
END = 11
KEPT = 12  # records of this batch that scan wrote
WIDTH = 13

# Rows of message sets (magic 0 and 1) are runs of messages alike, or one compressed message each.
SHIFT = 8  # in the place of a producer: what is to be added to the offset of each message
# Bits of ATTRIBUTES above the 16 that are stored.
HAS_TIMES = 1 << 16  # magic 1
TIME_OF_ROW = 1 << 17  # every message has the time MAX_TIMESTAMP, whatever it states

# Rows of 0.7's messages: where one starts, where its payload does, where it ends, its magic and
# attributes.
BYTE_START = 0
BYTE_PAYLOAD = 1
BYTE_END = 2
BYTE_KIND = 3  # the magic above its lowest 8 bits, which are the attributes
BYTE_WIDTH = 4

# The state of a scan is int64[STATE], carried from buffer to buffer.
RECORDS = 0
KEY_BYTES = 1
VALUE_BYTES = 2
HEADERS = 3
HEADER_KEY_BYTES = 4
HEADER_VALUE_BYTES = 5
NULL_HEADER_VALUES = 6
NULL_KEYS = 7
NULL_VALUES = 8
AT_ROW = 9  # where it failed: row of the table, record in the batch
AT_RECORD = 10
# Where its outputs start in the blocks that hold them, negative where they are not wanted: in the
# longs, in the ints, in the bits.
OFFSETS_AT = 11
TIMESTAMPS_AT = 12
KEYS_AT = 13
VALUES_AT = 14
HEADERS_AT = 15
KEY_BITS_AT = 16
VALUE_BITS_AT = 17
# So far behind HEADER_KEY_BYTES to NULL_HEADER_VALUES are the same of records that are not kept.
NOT_KEPT = 14
STATE = 21

# What a compaction knows of a record besides numbers.
HAS_KEY = 1
HAS_VALUE = 2

# What a compaction finds out about a batch is int64[VERDICT].
KEPT_RECORDS = 0  # records that stay, tombstones among them, greatest timestamp of them
TOMBSTONES = 1
NEWEST = 2
MARKS_AT = 3  # where the marks of its records are
VERDICT = 4

# The state of a compaction is int64[COMPACTION_STATE].
TO_BYTES = 0  # bytes written so far
REWRITTEN = 1  # batches among them that need a new CRC
NEW_HORIZON = 2  # until when tombstones stay that get a horizon now
AT_FILE = 3  # where the next batch is in its file
SINCE_ENTRY = 4  # bytes since the last index entry
INDEXED_TIME = 5  # greatest timestamp so far, last offset of its batch
INDEXED_TIME_OFFSET = 6
COMPACTION_STATE = 7
GROWTH = 10  # bytes by which a record can grow when its timestamp is relative to a horizon
MAP_IS_FULL = 1

# What a kernel returns when it fails; 0 is success.
BAD_VARINT = -1
BAD_RECORD_LENGTH = -2
BAD_KEY_LENGTH = -3
BAD_VALUE_LENGTH = -4
BAD_HEADER_COUNT = -5
BAD_HEADER_LENGTH = -6
RECORD_HAS_MORE = -7
BATCH_HAS_MORE = -8
TOO_FEW_RECORDS = -9
BAD_OFFSET = -10
TOO_LARGE = -11
BAD_MAGIC = -12
BAD_BATCH_LENGTH = -13
BAD_COUNT = -14
NO_ROOM = -15
BAD_MESSAGE_LENGTH = -16
MESSAGE_HAS_MORE = -17
NESTED = -18
NOT_COMPRESSED_DATA = -19
BAD_OLD_MAGIC = -20
WRONG_CRC = -21
UNKNOWN_CODEC = -22

WORDS = {
    BAD_VARINT: "a varint is too long or runs past its record",
    BAD_RECORD_LENGTH: "a record's length runs past its batch",
    BAD_KEY_LENGTH: "a key runs past its record",
    BAD_VALUE_LENGTH: "a value runs past its record",
    BAD_HEADER_COUNT: "a record states more headers than it has bytes, or fewer than none",
    BAD_HEADER_LENGTH: "a header runs past its record, or has no key",
    RECORD_HAS_MORE: "a record is longer than its parts",
    BATCH_HAS_MORE: "a batch has bytes after its last record",
    TOO_FEW_RECORDS: "a batch ends before its last record",
    BAD_OFFSET: "a record's offset is not the next one",
    TOO_LARGE: "one column would hold 2 GiB or more",
    BAD_MAGIC: "the magic byte of a batch is not 2",
    BAD_BATCH_LENGTH: "a batch is shorter than its header",
    BAD_COUNT: "a batch states more records than it has bytes for, or fewer than none",
    NO_ROOM: "the input changed while it was read",
    BAD_MESSAGE_LENGTH: "a message is shorter than its fixed parts, or runs past its set",
    MESSAGE_HAS_MORE: "a message is longer than its parts",
    NESTED: "a compressed message is inside another one",
    NOT_COMPRESSED_DATA: "a compressed message holds no message",
    BAD_OLD_MAGIC: "the magic byte of a message is neither 0 nor 1",
    WRONG_CRC: "a message has another CRC than it states",
    UNKNOWN_CODEC: "a message has an unknown codec",
}
"""The meaning of each error code, for error messages."""
