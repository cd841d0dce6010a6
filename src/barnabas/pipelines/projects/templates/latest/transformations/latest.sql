-- The last value of each key that was not deleted. Computed anew by each run.
CREATE MATERIALIZED VIEW latest AS
SELECT key, last.value
FROM (SELECT key, max_by(struct(value), offset) AS last FROM changes GROUP BY key)
WHERE last.value IS NOT NULL;
