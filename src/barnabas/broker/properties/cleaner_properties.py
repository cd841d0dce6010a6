"""Convert a broker's properties to the settings of the log cleaner."""

from barnabas.config.broker import BrokerConfig
from barnabas.log.cleaner import CleanerSettings


def cleaner_settings(config: BrokerConfig) -> CleanerSettings:
    """The settings for these properties."""
    return CleanerSettings(
        config.log_cleaner_enable,
        config.log_cleaner_dedupe_buffer_size,
        config.log_cleaner_io_buffer_load_factor,
        config.log_cleaner_io_max_bytes_per_second,
        config.log_cleaner_backoff_ms,
    )
