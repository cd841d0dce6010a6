package main

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// header is a name and bytes, nil for null.
type header struct {
	name  string
	value []byte
}

// row is a record as one line of text, see program.py. The timestamp is in milliseconds, -1 for none.
type row struct {
	key, value []byte
	timestamp  int64
	headers    []header
}

func parseRow(line string) (row, error) {
	words := strings.Split(line, " ")
	if len(words) != 4 {
		return row{}, fmt.Errorf("no row: %q", line)
	}
	timestamp, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil {
		return row{}, err
	}
	parsed := row{key: content(words[0]), value: content(words[1]), timestamp: timestamp}
	if words[3] != "-" {
		for _, each := range strings.Split(words[3], ",") {
			name, value, _ := strings.Cut(each, ":")
			parsed.headers = append(parsed.headers, header{string(content(name)), content(value)})
		}
	}
	return parsed, nil
}

// content panics at what is not hexadecimal: whoever asks is a test.
func content(word string) []byte {
	if word == "-" {
		return nil
	}
	found := make([]byte, hex.DecodedLen(len(word)-1))
	if _, err := hex.Decode(found, []byte(word[1:])); err != nil {
		panic(err)
	}
	return found
}

func word(content []byte) string {
	if content == nil {
		return "-"
	}
	return "x" + hex.EncodeToString(content)
}

func (r row) String() string {
	headers := "-"
	if len(r.headers) > 0 {
		words := make([]string, len(r.headers))
		for index, each := range r.headers {
			words[index] = word([]byte(each.name)) + ":" + word(each.value)
		}
		headers = strings.Join(words, ",")
	}
	return fmt.Sprintf("%s %s %d %s", word(r.key), word(r.value), r.timestamp, headers)
}
