import java.util.HexFormat;

/**
 * A record as one line of text: KEY VALUE TIMESTAMP HEADERS. Bytes are x and their hex digits, - is
 * null; headers are NAME:VALUE with commas between, or - for none.
 */
record Row(byte[] key, byte[] value, long timestamp, String headers) {
    static Row parse(String line) {
        String[] words = line.split(" ");
        return new Row(bytes(words[0]), bytes(words[1]), Long.parseLong(words[2]), words[3]);
    }

    static byte[] bytes(String word) {
        return word.equals("-") ? null : HexFormat.of().parseHex(word.substring(1));
    }

    static String word(byte[] bytes) {
        return bytes == null ? "-" : "x" + HexFormat.of().formatHex(bytes);
    }

    @Override
    public String toString() {
        return word(key) + " " + word(value) + " " + timestamp + " " + headers;
    }
}
