package main

import (
	"context"
	"fmt"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"
)

// The copy verb: a member of a group copies one topic to another in transactions, with its positions
// in them, and aborts each third one. Answers with what can be read of the target.

// copier is a client that has transactions.
type copier interface {
	copy(address, source, target string, count int) ([]string, error)
}

// A transaction has at most so many records.
const atOnce = 40

func (franz) copy(address, source, target string, count int) ([]string, error) {
	session, err := kgo.NewGroupTransactSession(
		kgo.SeedBrokers(address),
		kgo.ConsumerGroup("of-"+source),
		kgo.ConsumeTopics(source),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.TransactionalID("id-"+target),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
	)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for done, round := 0, 0; done < count; round++ {
		fetched := session.PollRecords(ctx, atOnce)
		if err := fetched.Err(); err != nil {
			return nil, err
		}
		if err := session.Begin(); err != nil {
			return nil, err
		}
		taken := fetched.Records()
		for _, each := range taken {
			session.Produce(ctx, &kgo.Record{Topic: target, Value: each.Value}, nil)
		}
		if err := session.Client().Flush(ctx); err != nil {
			return nil, err
		}
		committed, err := session.End(ctx, kgo.TransactionEndTry(round%3 != 0))
		if err != nil {
			return nil, err
		}
		if committed {
			done += len(taken)
		}
	}
	return franzCommitted(ctx, address, target, count)
}

func franzCommitted(ctx context.Context, address, topic string, count int) ([]string, error) {
	reader, err := kgo.NewClient(
		kgo.SeedBrokers(address),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().AtStart()}}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
	)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	var values []string
	for len(values) < count {
		fetched := reader.PollFetches(ctx)
		if err := fetched.Err(); err != nil {
			return nil, err
		}
		fetched.EachRecord(func(each *kgo.Record) { values = append(values, string(each.Value)) })
	}
	return values, nil
}

func (s saramas) copy(address, source, target string, count int) ([]string, error) {
	config, err := s.config()
	if err != nil {
		return nil, err
	}
	config.Consumer.IsolationLevel = sarama.ReadCommitted
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	config.Consumer.Offsets.AutoCommit.Enable = false
	config.Producer.Return.Successes = true
	config.Producer.RequiredAcks = sarama.WaitForAll
	config.Producer.Partitioner = sarama.NewManualPartitioner
	config.Producer.Idempotent = true
	config.Producer.Transaction.ID = "id-" + target
	config.Net.MaxOpenRequests = 1
	producer, err := sarama.NewSyncProducer([]string{address}, config)
	if err != nil {
		return nil, err
	}
	defer producer.Close()
	name := "of-" + source
	group, err := sarama.NewConsumerGroup([]string{address}, name, config)
	if err != nil {
		return nil, err
	}
	defer group.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	work := &saramaCopy{producer: producer, group: name, target: target, count: count}
	if err := group.Consume(ctx, []string{source}, work); err != nil {
		return nil, err
	}
	if work.err != nil {
		return nil, work.err
	}
	return saramaCommitted(address, target, count, config)
}

type saramaCopy struct {
	producer      sarama.SyncProducer
	group, target string
	count, done   int
	err           error
}

func (*saramaCopy) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (*saramaCopy) Cleanup(sarama.ConsumerGroupSession) error { return nil }

// ConsumeClaim copies until all is done, and ends the session by its return.
func (c *saramaCopy) ConsumeClaim(
	session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim,
) error {
	var all []*sarama.ConsumerMessage
	for len(all) < c.count {
		select {
		case message := <-claim.Messages():
			all = append(all, message)
		case <-session.Context().Done():
			c.err = fmt.Errorf("%d of %d records", len(all), c.count)
			return nil
		}
	}
	for round := 0; c.done < c.count && c.err == nil; round++ {
		taken := all[c.done:min(c.done+atOnce, c.count)]
		c.err = c.transaction(taken, round%3 != 0)
	}
	return nil
}

func (c *saramaCopy) transaction(taken []*sarama.ConsumerMessage, commits bool) error {
	if err := c.producer.BeginTxn(); err != nil {
		return err
	}
	var messages []*sarama.ProducerMessage
	for _, each := range taken {
		value := sarama.ByteEncoder(each.Value)
		messages = append(messages, &sarama.ProducerMessage{Topic: c.target, Value: value})
	}
	if err := c.producer.SendMessages(messages); err != nil {
		return err
	}
	last := taken[len(taken)-1]
	if err := c.producer.AddMessageToTxn(last, c.group, nil); err != nil {
		return err
	}
	if !commits {
		return c.producer.AbortTxn()
	}
	c.done += len(taken)
	return c.producer.CommitTxn()
}

func saramaCommitted(
	address, topic string, count int, config *sarama.Config,
) ([]string, error) {
	consumer, err := sarama.NewConsumer([]string{address}, config)
	if err != nil {
		return nil, err
	}
	defer consumer.Close()
	partition, err := consumer.ConsumePartition(topic, 0, sarama.OffsetOldest)
	if err != nil {
		return nil, err
	}
	defer partition.Close()
	var values []string
	late := time.After(patience)
	for len(values) < count {
		select {
		case message := <-partition.Messages():
			values = append(values, string(message.Value))
		case <-late:
			return nil, fmt.Errorf("%d of %d records", len(values), count)
		}
	}
	return values, nil
}
