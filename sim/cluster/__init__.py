"""Several brokers and a ZooKeeper under virtual time: who leads, what is copied, what is never lost."""
