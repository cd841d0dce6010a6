package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"
)

type kafkaGo struct{}

func (kafkaGo) write(address, topic, codec string, idempotent bool, rows []row) ([]int64, error) {
	if idempotent {
		return nil, errors.New("kafka-go has no idempotent producer")
	}
	var compression kafka.Compression
	if codec != "none" {
		if err := compression.UnmarshalText([]byte(codec)); err != nil {
			return nil, err
		}
	}
	writer := &kafka.Writer{
		Addr: kafka.TCP(address), Topic: topic, Compression: compression,
		RequiredAcks: kafka.RequireAll, BatchTimeout: 50 * time.Millisecond,
		BatchSize: len(rows),
		// The one that all writers share would not know a new topic for seconds.
		Transport: &kafka.Transport{},
	}
	defer writer.Close()
	var messages []kafka.Message
	for _, each := range rows {
		message := kafka.Message{
			Key: each.key, Value: each.value, Time: time.UnixMilli(each.timestamp),
		}
		for _, one := range each.headers {
			message.Headers = append(message.Headers, kafka.Header{Key: one.name, Value: one.value})
		}
		messages = append(messages, message)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return nil, writer.WriteMessages(ctx, messages...)
}

func (kafkaGo) read(address, topic string, start int64, count int) ([]int64, []row, error) {
	reader := kafka.NewReader(kafka.ReaderConfig{
		Brokers: []string{address}, Topic: topic, Partition: 0, MaxBytes: 4_000_000,
		MaxWait: 500 * time.Millisecond,
	})
	defer reader.Close()
	if err := reader.SetOffset(start); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var offsets []int64
	var rows []row
	for len(rows) < count {
		message, err := reader.ReadMessage(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("after %d records: %w", len(rows), err)
		}
		found := row{message.Key, message.Value, message.Time.UnixMilli(), nil}
		for _, one := range message.Headers {
			found.headers = append(found.headers, header{one.Key, one.Value})
		}
		offsets, rows = append(offsets, message.Offset), append(rows, found)
	}
	return offsets, rows, nil
}

func (kafkaGo) ends(address, topic string) (int64, int64, error) {
	connection, err := kafkaGoLeader(address, topic)
	if err != nil {
		return 0, 0, err
	}
	defer connection.Close()
	return connection.ReadOffsets()
}

func (kafkaGo) time(address, topic string, timestamp int64) (int64, error) {
	connection, err := kafkaGoLeader(address, topic)
	if err != nil {
		return 0, err
	}
	defer connection.Close()
	return connection.ReadOffset(time.UnixMilli(timestamp))
}

func (kafkaGo) topics(address, topic string) ([]string, error) {
	connection, err := kafka.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	err = connection.CreateTopics(kafka.TopicConfig{
		Topic: topic, NumPartitions: 3, ReplicationFactor: 1,
		ConfigEntries: []kafka.ConfigEntry{{ConfigName: "retention.ms", ConfigValue: "86400000"}},
	})
	if err != nil {
		return nil, err
	}
	before, err := connection.ReadPartitions(topic)
	if err != nil {
		return nil, err
	}
	client := &kafka.Client{Addr: connection.RemoteAddr()}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	resource := kafka.DescribeConfigRequestResource{
		ResourceType: kafka.ResourceTypeTopic, ResourceName: topic,
		ConfigNames: []string{"retention.ms"},
	}
	configs, err := client.DescribeConfigs(ctx, &kafka.DescribeConfigsRequest{
		Resources: []kafka.DescribeConfigRequestResource{resource},
	})
	if err != nil {
		return nil, err
	}
	if err := connection.DeleteTopics(topic); err != nil {
		return nil, err
	}
	left, err := connection.ReadPartitions()
	is := false
	for _, each := range left {
		is = is || each.Topic == topic
	}
	reported := configs.Resources[0].ConfigEntries[0].ConfigValue
	return []string{fmt.Sprint(len(before)), reported, fmt.Sprint(len(before) > 0), fmt.Sprint(is)}, err
}

func kafkaGoLeader(address, topic string) (*kafka.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return kafka.DialLeader(ctx, "tcp", address, topic, 0)
}
