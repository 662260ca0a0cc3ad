-- Receivers of events. types is NULL for all events but those of API keys. fanned_out_to is the position up to which deliveries exist.
CREATE TABLE webhook_endpoints (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL,
  types TEXT,
  status TEXT NOT NULL CHECK (status IN ('enabled', 'disabled')),
  disabled_reason TEXT CHECK ((disabled_reason IS NULL) = (status = 'enabled')),
  created_at INTEGER NOT NULL,
  failing_since INTEGER,
  fanned_out_to INTEGER NOT NULL
) STRICT;

-- The secrets that sign, sealed by the service.
CREATE TABLE webhook_secrets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint_id INTEGER NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
  secret BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;

CREATE INDEX webhook_secrets_by_endpoint ON webhook_secrets (endpoint_id);

-- One row for each event of an endpoint. A process that sends it has claimed it until a time. There are no references: the deletion of
-- old events deletes their deliveries, also those of deleted endpoints, which may be too many for one transaction.
CREATE TABLE webhook_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint_id INTEGER NOT NULL,
  event_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL,
  next_at INTEGER CHECK ((next_at IS NULL) = (status <> 'pending')),
  claimed_until INTEGER NOT NULL,
  attempted_at INTEGER,
  duration_ms INTEGER,
  last_status INTEGER,
  last_error TEXT
) STRICT;

CREATE UNIQUE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_id, endpoint_id);
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (endpoint_id);
-- Each endpoint has its own queue, so that none waits for another one.
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (endpoint_id, next_at) WHERE status = 'pending';

-- Who may do everything may also manage webhooks.
UPDATE api_keys SET scopes = replace(scopes, 'keys:admin', 'webhooks:admin keys:admin');
