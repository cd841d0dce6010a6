-- The records that are orders.
CREATE STREAMING TABLE orders AS
SELECT parsed.customer, parsed.amount, partition, offset, timestamp
FROM STREAM decoded
WHERE parsed.bad IS NULL AND parsed.customer IS NOT NULL AND parsed.amount IS NOT NULL;
