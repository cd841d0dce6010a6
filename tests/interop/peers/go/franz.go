package main

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

type franz struct{}

func (franz) write(address, topic, codec string, idempotent bool, rows []row) ([]int64, error) {
	options := []kgo.Opt{
		kgo.SeedBrokers(address),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(50 * time.Millisecond),
		kgo.ProducerBatchCompression(map[string]kgo.CompressionCodec{
			"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(),
			"snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(),
			"zstd": kgo.ZstdCompression(),
		}[codec]),
	}
	if !idempotent {
		options = append(options, kgo.DisableIdempotentWrite())
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var records []*kgo.Record
	for _, each := range rows {
		record := &kgo.Record{
			Topic: topic, Key: each.key, Value: each.value,
			Timestamp: time.UnixMilli(each.timestamp),
		}
		for _, one := range each.headers {
			record.Headers = append(record.Headers, kgo.RecordHeader{Key: one.name, Value: one.value})
		}
		records = append(records, record)
	}
	if err := client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return nil, err
	}
	var offsets []int64
	for _, each := range records {
		offsets = append(offsets, each.Offset)
	}
	return offsets, nil
}

func (franz) read(address, topic string, start int64, count int) ([]int64, []row, error) {
	from := map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().At(start)}}
	client, err := kgo.NewClient(kgo.SeedBrokers(address), kgo.ConsumePartitions(from))
	if err != nil {
		return nil, nil, err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var offsets []int64
	var rows []row
	for len(rows) < count {
		fetched := client.PollFetches(ctx)
		if err := fetched.Err(); err != nil {
			return nil, nil, fmt.Errorf("after %d records: %w", len(rows), err)
		}
		fetched.EachRecord(func(record *kgo.Record) {
			found := row{record.Key, record.Value, record.Timestamp.UnixMilli(), nil}
			for _, one := range record.Headers {
				found.headers = append(found.headers, header{one.Key, one.Value})
			}
			offsets, rows = append(offsets, record.Offset), append(rows, found)
		})
	}
	return offsets[:count], rows[:count], nil
}

func (franz) ends(address, topic string) (int64, int64, error) {
	admin, ctx, done, err := franzAdmin(address)
	if err != nil {
		return 0, 0, err
	}
	defer done()
	first, err := admin.ListStartOffsets(ctx, topic)
	if err != nil {
		return 0, 0, err
	}
	next, err := admin.ListEndOffsets(ctx, topic)
	return first[topic][0].Offset, next[topic][0].Offset, err
}

func (franz) time(address, topic string, timestamp int64) (int64, error) {
	admin, ctx, done, err := franzAdmin(address)
	if err != nil {
		return 0, err
	}
	defer done()
	found, err := admin.ListOffsetsAfterMilli(ctx, timestamp, topic)
	return found[topic][0].Offset, err
}

func (franz) epoch(address, topic string, epoch int32) (int32, int64, error) {
	admin, ctx, done, err := franzAdmin(address)
	if err != nil {
		return 0, 0, err
	}
	defer done()
	var asked kadm.OffsetForLeaderEpochRequest
	asked.Add(topic, 0, epoch)
	found, err := admin.OffsetForLeaderEpoch(ctx, asked)
	return found[topic][0].LeaderEpoch, found[topic][0].EndOffset, err
}

func (franz) topics(address, topic string) ([]string, error) {
	admin, ctx, done, err := franzAdmin(address)
	if err != nil {
		return nil, err
	}
	defer done()
	kept := "86400000"
	if _, err := admin.CreateTopic(ctx, 3, 1, map[string]*string{"retention.ms": &kept}, topic); err != nil {
		return nil, err
	}
	before, err := admin.ListTopics(ctx)
	if err != nil {
		return nil, err
	}
	configs, err := admin.DescribeTopicConfigs(ctx, topic)
	if err != nil {
		return nil, err
	}
	var reported string
	for _, each := range configs[0].Configs {
		if each.Key == "retention.ms" {
			reported = each.MaybeValue()
		}
	}
	if _, err := admin.DeleteTopic(ctx, topic); err != nil {
		return nil, err
	}
	// The first client would return its cached answer.
	another, ctx, done, err := franzAdmin(address)
	if err != nil {
		return nil, err
	}
	defer done()
	after, err := another.ListTopics(ctx)
	partitions := fmt.Sprint(len(before[topic].Partitions))
	return []string{partitions, reported, fmt.Sprint(before.Has(topic)), fmt.Sprint(after.Has(topic))}, err
}

func franzAdmin(address string) (*kadm.Client, context.Context, func(), error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(address))
	if err != nil {
		return nil, nil, nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	return kadm.NewClient(client), ctx, func() { cancel(); client.Close() }, nil
}
