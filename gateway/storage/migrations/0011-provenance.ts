import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';

/**
 * Where each key comes from: the key that minted it, whether or not that had a limit, or the token (decision 029). Earlier
 * versions recorded this only for limited keys. For the others it's derived, where possible, from whose rate limits they share.
 */
export const provenance = (dialect: DialectName): Migration => ({
  async up(db) {
    for (const statement of statements(dialect)) await sql.raw(statement).execute(db);
  },
});

const statements = (dialect: DialectName): string[] => [
  // Instances of the previous version may be running, so no sum may change between reading and writing it.
  ...(dialect === 'sqlite' ? [] : ['LOCK TABLE api_keys IN EXCLUSIVE MODE']),
  ...columns(dialect === 'sqlite' ? 'INTEGER' : 'BIGINT'),
  ...backfill,
  'CREATE INDEX api_keys_of_parent ON api_keys (parent_id) WHERE parent_id IS NOT NULL',
  ...(dialect === 'sqlite' ? [] : clusterSignal),
];

const columns = (int: string) => [
  'ALTER TABLE api_keys ADD COLUMN token_user TEXT REFERENCES users (id)',
  'ALTER TABLE api_keys ADD COLUMN token_id TEXT',
  'ALTER TABLE api_keys ADD COLUMN token_key TEXT',
  `ALTER TABLE api_keys ADD COLUMN token_issued ${int}`,
  `ALTER TABLE api_keys ADD COLUMN token_expires ${int}`,
];

const backfill = [
  `UPDATE api_keys SET parent_id = window_id WHERE parent_id IS NULL AND window_id <> id AND window_id IN
    (SELECT above.id FROM api_keys AS above WHERE above.account_id = api_keys.account_id AND above.window_id IS NULL)`,
  // It isn't known which of the user's tokens minted the key, only that it had been issued by then.
  `UPDATE api_keys SET token_user = window_id, token_issued = created / 1000
    WHERE parent_id IS NULL AND window_id IN (SELECT id FROM users WHERE users.account_id = api_keys.account_id)`,
  // The spend of a key includes that of its children, and it now has more children than were known.
  ...[
    ['spent', 'charge'],
    ['held', 'hold'],
  ].map(
    ([column, summed]) => `
    WITH RECURSIVE line (id, ancestor) AS (
      SELECT id, parent_id FROM api_keys WHERE parent_id IS NOT NULL
      UNION SELECT line.id, above.parent_id FROM line JOIN api_keys AS above ON above.id = line.ancestor
      WHERE above.parent_id IS NOT NULL
    ), sums AS (
      SELECT line.ancestor AS id, sum(requests.${summed}) AS amount
      FROM line JOIN requests ON requests.key_id = line.id GROUP BY line.ancestor
    )
    UPDATE api_keys SET ${column} = (SELECT amount FROM sums WHERE sums.id = api_keys.id)
      + coalesce((SELECT sum(${summed}) FROM requests WHERE key_id = api_keys.id), 0)
    WHERE id IN (SELECT id FROM sums)`,
  ),
];

/** Every change to what a key may do notifies every instance, even when it was typed by hand. */
const clusterSignal = [
  'DROP TRIGGER api_keys_ring ON api_keys',
  `CREATE TRIGGER api_keys_ring
    AFTER UPDATE OF revoked_at, expires_at, scopes, spend_limit, digest, account_id, parent_id,
      token_user, token_id, token_key, token_issued, token_expires OR DELETE
    ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION portico_ring('api_keys')`,
];
