// Clients written in Go behind the commands of program.py. The first argument names the client.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

const patience = 30 * time.Second

// client is what a library can do; at the offset start each record must be returned with its own.
type client interface {
	write(address, topic, codec string, idempotent bool, rows []row) ([]int64, error)
	read(address, topic string, start int64, count int) ([]int64, []row, error)
	ends(address, topic string) (int64, int64, error)
	time(address, topic string, timestamp int64) (int64, error)
	topics(address, topic string) ([]string, error)
}

func main() {
	named, found := map[string]client{
		"franz":   franz{},
		"sarama":  saramas{os.Args[len(os.Args)-1]},
		"kafkago": kafkaGo{},
	}[os.Args[1]]
	if !found {
		panic(os.Args[1])
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		words := strings.Split(lines.Text(), " ")
		answers, err := run(named, words, lines)
		for _, each := range answers {
			fmt.Println(each)
		}
		if err != nil {
			fmt.Println("failed", strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Println("done")
		}
	}
}

func run(named client, words []string, lines *bufio.Scanner) ([]string, error) {
	address, topic := words[1], words[2]
	switch words[0] {
	case "write":
		var rows []row
		for range number(words[5]) {
			lines.Scan()
			parsed, err := parseRow(lines.Text())
			if err != nil {
				return nil, err
			}
			rows = append(rows, parsed)
		}
		offsets, err := named.write(address, topic, words[3], words[4] == "true", rows)
		return texts(offsets...), err
	case "read":
		offsets, rows, err := named.read(address, topic, number(words[3]), int(number(words[4])))
		found := texts(offsets...)
		for index := range found {
			found[index] += " " + rows[index].String()
		}
		return found, err
	case "ends":
		first, next, err := named.ends(address, topic)
		return texts(first, next), err
	case "time":
		found, err := named.time(address, topic, number(words[3]))
		return texts(found), err
	case "topics":
		return named.topics(address, topic)
	case "copy":
		return named.(copier).copy(address, topic, words[3], int(number(words[4])))
	case "epoch":
		epoch, next, err := named.(franz).epoch(address, topic, int32(number(words[3])))
		return texts(int64(epoch), next), err
	}
	return nil, fmt.Errorf("no such command: %s", words[0])
}

func number(word string) int64 {
	parsed, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		panic(err)
	}
	return parsed
}

func texts(numbers ...int64) []string {
	words := make([]string, len(numbers))
	for index, each := range numbers {
		words[index] = strconv.FormatInt(each, 10)
	}
	return words
}
