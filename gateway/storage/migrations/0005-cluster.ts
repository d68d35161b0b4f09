import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';

/** What the instances on one PostgreSQL database share besides the ledger. On SQLite the only process keeps it in memory. */
export const cluster = (dialect: DialectName): Migration => ({
  async up(db) {
    if (dialect === 'sqlite') return;
    for (const statement of [...tables, takeFunction, enterFunction, ...notifications])
      await sql.raw(statement).execute(db);
  },
});

/**
 * Unlogged tables: their rows matter for a minute at most, so losing them in a crash of the database is harmless, and writing
 * them needs no sync.
 */
const tables = [
  `CREATE UNLOGGED TABLE limit_uses (
    key TEXT NOT NULL, bucket BIGINT NOT NULL, at BIGINT NOT NULL, cost BIGINT NOT NULL CHECK (cost >= 0),
    PRIMARY KEY (key, bucket)
  )`,
  'CREATE INDEX limit_uses_by_time ON limit_uses (at)',
  `CREATE UNLOGGED TABLE limit_places (
    id TEXT PRIMARY KEY, key TEXT NOT NULL, instance_id TEXT NOT NULL, lease_until BIGINT NOT NULL
  )`,
  'CREATE INDEX limit_places_of_key ON limit_places (key)',
  `CREATE UNLOGGED TABLE model_health (
    model TEXT PRIMARY KEY, instance_id TEXT NOT NULL, changed BIGSERIAL NOT NULL,
    open_ms BIGINT NOT NULL, open_until BIGINT NOT NULL, cooling_until BIGINT NOT NULL
  )`,
  `CREATE FUNCTION portico_now() RETURNS BIGINT LANGUAGE sql VOLATILE
    AS $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$`,
];

/**
 * Takes a cost from the last 60 seconds of a key if its limit allows that, and returns the state of the window. The lock
 * serializes the calls for one key, so together they can't exceed the limit. Costs within half a second share a row.
 */
const takeFunction = `
  CREATE FUNCTION portico_take(wanted_key TEXT, wanted_limit BIGINT, wanted_cost BIGINT, given BIGINT)
  RETURNS TABLE (admitted BOOLEAN, used BIGINT, reset_ms BIGINT, wait_ms BIGINT, bucket BIGINT)
  LANGUAGE plpgsql VOLATILE AS $$
  #variable_conflict use_column
  DECLARE
    moment BIGINT;
    sum_before BIGINT;
    latest BIGINT;
    freed_at BIGINT;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(wanted_key, 5));
    -- After the lock was waited for: times never run backwards within a key.
    moment := coalesce(given, portico_now());
    SELECT coalesce(sum(cost), 0), max(at) INTO sum_before, latest
      FROM limit_uses WHERE key = wanted_key AND at > moment - 60000;
    IF latest > moment THEN
      -- The database's clock was set back: nothing lies in the future, or it would count for longer than a minute.
      UPDATE limit_uses SET at = moment WHERE key = wanted_key AND at > moment;
      latest := moment;
    END IF;
    admitted := sum_before + wanted_cost <= wanted_limit;
    wait_ms := 0;
    bucket := moment / 500;
    IF admitted AND wanted_cost > 0 THEN
      INSERT INTO limit_uses AS entry (key, bucket, at, cost) VALUES (wanted_key, moment / 500, moment, wanted_cost)
        ON CONFLICT (key, bucket) DO UPDATE SET at = excluded.at,
          cost = CASE WHEN entry.at > moment - 60000 THEN entry.cost ELSE 0 END + excluded.cost;
      sum_before := sum_before + wanted_cost;
      latest := moment;
    ELSIF NOT admitted THEN
      SELECT min(entry.at) INTO freed_at FROM (
        SELECT uses.at, sum(uses.cost) OVER (ORDER BY uses.at, uses.bucket) AS freed
        FROM limit_uses AS uses WHERE uses.key = wanted_key AND uses.at > moment - 60000
      ) AS entry WHERE sum_before - entry.freed + wanted_cost <= wanted_limit;
      wait_ms := least(60000, greatest(1, coalesce(freed_at, latest, moment) + 60000 - moment));
    END IF;
    used := sum_before;
    reset_ms := greatest(0, coalesce(latest, moment - 60000) + 60000 - moment);
    RETURN NEXT;
  END $$`;

/** Counts one more running request if fewer than the limit run. Rows whose lease has run out don't count. */
const enterFunction = `
  CREATE FUNCTION portico_enter(
    wanted_id TEXT, wanted_key TEXT, wanted_limit BIGINT, holder TEXT, lease_ms BIGINT, given BIGINT
  ) RETURNS BOOLEAN LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    taken BIGINT;
    moment BIGINT;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(wanted_key, 6));
    moment := coalesce(given, portico_now());
    SELECT count(*) INTO taken FROM limit_places WHERE key = wanted_key AND lease_until > moment;
    IF taken >= wanted_limit THEN
      RETURN FALSE;
    END IF;
    INSERT INTO limit_places (id, key, instance_id, lease_until)
      VALUES (wanted_id, wanted_key, holder, moment + lease_ms);
    RETURN TRUE;
  END $$`;

const clusterSignal = (name: string, event: string, table: string) =>
  `CREATE TRIGGER ${name} AFTER ${event} ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION portico_ring('${table}')`;

/**
 * Every change to a credential, even by a statement typed by hand, notifies every instance. Columns that requests change all the
 * time (balances, counters, last use) trigger no notification.
 */
const notifications = [
  `CREATE FUNCTION portico_ring() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN PERFORM pg_notify('portico', TG_ARGV[0]); RETURN NULL; END $$`,
  clusterSignal('accounts_ring', 'UPDATE OF status, plan, tokens_valid_after OR DELETE', 'accounts'),
  clusterSignal('api_keys_ring', 'UPDATE OF revoked_at, expires_at, scopes, spend_limit, digest OR DELETE', 'api_keys'),
  clusterSignal('users_ring', 'UPDATE OF status, tokens_valid_after OR DELETE', 'users'),
  clusterSignal('token_keys_ring', 'INSERT OR UPDATE OR DELETE', 'token_keys'),
  clusterSignal('revoked_tokens_ring', 'INSERT', 'revoked_tokens'),
  clusterSignal('model_health_ring', 'INSERT OR UPDATE', 'model_health'),
];
