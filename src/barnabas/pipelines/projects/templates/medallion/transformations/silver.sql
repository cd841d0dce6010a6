-- Silver: orders as columns. What is no order stays in bronze.
CREATE STREAMING TABLE silver AS
SELECT parsed.customer, parsed.amount, topic, partition, offset, timestamp
FROM (
  SELECT *, from_json(CAST(value AS STRING), 'customer STRING, amount DOUBLE') AS parsed
  FROM STREAM bronze
)
WHERE parsed.customer IS NOT NULL AND parsed.amount IS NOT NULL;
