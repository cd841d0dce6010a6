-- Gold: what each customer ordered. Computed anew by each run.
CREATE MATERIALIZED VIEW gold AS
SELECT customer, count(*) AS orders, sum(amount) AS total FROM silver GROUP BY customer;
