package main

import (
	"fmt"
	"time"

	"github.com/IBM/sarama"
)

// saramas takes the broker for one of a version.
type saramas struct{ version string }

func (s saramas) config() (*sarama.Config, error) {
	config := sarama.NewConfig()
	version, err := sarama.ParseKafkaVersion(s.version)
	if err != nil {
		return nil, err
	}
	config.Version = version
	config.ApiVersionsRequest = version.IsAtLeast(sarama.V0_10_0_0)
	return config, nil
}

func (s saramas) write(address, topic, codec string, idempotent bool, rows []row) ([]int64, error) {
	config, err := s.config()
	if err != nil {
		return nil, err
	}
	config.Producer.Return.Successes = true
	config.Producer.RequiredAcks = sarama.WaitForAll
	config.Producer.Partitioner = sarama.NewManualPartitioner
	config.Producer.Flush.Frequency = 50 * time.Millisecond
	config.Producer.Idempotent = idempotent
	if idempotent {
		config.Net.MaxOpenRequests = 1
	}
	if err := config.Producer.Compression.UnmarshalText([]byte(codec)); err != nil {
		return nil, err
	}
	producer, err := sarama.NewSyncProducer([]string{address}, config)
	if err != nil {
		return nil, err
	}
	defer producer.Close()
	var messages []*sarama.ProducerMessage
	for _, each := range rows {
		message := &sarama.ProducerMessage{Topic: topic}
		if each.timestamp >= 0 {
			message.Timestamp = time.UnixMilli(each.timestamp)
		}
		if each.key != nil {
			message.Key = sarama.ByteEncoder(each.key)
		}
		if each.value != nil {
			message.Value = sarama.ByteEncoder(each.value)
		}
		for _, one := range each.headers {
			named := sarama.RecordHeader{Key: []byte(one.name), Value: one.value}
			message.Headers = append(message.Headers, named)
		}
		messages = append(messages, message)
	}
	if err := producer.SendMessages(messages); err != nil {
		return nil, err
	}
	var offsets []int64
	for _, each := range messages {
		offsets = append(offsets, each.Offset)
	}
	return offsets, nil
}

func (s saramas) read(address, topic string, start int64, count int) ([]int64, []row, error) {
	config, err := s.config()
	if err != nil {
		return nil, nil, err
	}
	consumer, err := sarama.NewConsumer([]string{address}, config)
	if err != nil {
		return nil, nil, err
	}
	defer consumer.Close()
	partition, err := consumer.ConsumePartition(topic, 0, start)
	if err != nil {
		return nil, nil, err
	}
	defer partition.Close()
	var offsets []int64
	var rows []row
	late := time.After(patience)
	for len(rows) < count {
		select {
		case message := <-partition.Messages():
			found := row{message.Key, message.Value, -1, nil}
			if !message.Timestamp.IsZero() {
				found.timestamp = message.Timestamp.UnixMilli()
			}
			for _, one := range message.Headers {
				found.headers = append(found.headers, header{string(one.Key), one.Value})
			}
			offsets, rows = append(offsets, message.Offset), append(rows, found)
		case <-late:
			return nil, nil, fmt.Errorf("%d of %d records", len(rows), count)
		}
	}
	return offsets, rows, nil
}

func (s saramas) ends(address, topic string) (int64, int64, error) {
	first, err := s.time(address, topic, sarama.OffsetOldest)
	if err != nil {
		return 0, 0, err
	}
	next, err := s.time(address, topic, sarama.OffsetNewest)
	return first, next, err
}

func (s saramas) time(address, topic string, timestamp int64) (int64, error) {
	config, err := s.config()
	if err != nil {
		return 0, err
	}
	client, err := sarama.NewClient([]string{address}, config)
	if err != nil {
		return 0, err
	}
	defer client.Close()
	return client.GetOffset(topic, 0, timestamp)
}

func (s saramas) topics(address, topic string) ([]string, error) {
	config, err := s.config()
	if err != nil {
		return nil, err
	}
	admin, err := sarama.NewClusterAdmin([]string{address}, config)
	if err != nil {
		return nil, err
	}
	defer admin.Close()
	kept := "86400000"
	detail := &sarama.TopicDetail{
		NumPartitions: 3, ReplicationFactor: 1,
		ConfigEntries: map[string]*string{"retention.ms": &kept},
	}
	if err := admin.CreateTopic(topic, detail, false); err != nil {
		return nil, err
	}
	before, err := admin.ListTopics()
	if err != nil {
		return nil, err
	}
	asked := sarama.ConfigResource{
		Type: sarama.TopicResource, Name: topic, ConfigNames: []string{"retention.ms"},
	}
	configs, err := admin.DescribeConfig(asked)
	if err != nil {
		return nil, err
	}
	if err := admin.DeleteTopic(topic); err != nil {
		return nil, err
	}
	after, err := admin.ListTopics()
	_, was := before[topic]
	_, is := after[topic]
	partitions := fmt.Sprint(before[topic].NumPartitions)
	return []string{partitions, configs[0].Value, fmt.Sprint(was), fmt.Sprint(is)}, err
}
