import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';
import { limitsInBlocks } from './0013-limits-in-blocks.ts';

/**
 * The functions with which the ledger on PostgreSQL reads rows and writes a group of events (decision 040). The rules are in the
 * gateway: these functions only compare and add numbers.
 */
export const groupCommit = (dialect: DialectName): Migration => ({
  async up(db) {
    if (dialect === 'sqlite') return;
    for (const statement of [...rowTexts, readFunction, commitFunction(), ...limitsInBlocks])
      await sql.raw(statement).execute(db);
  },
});

/**
 * An account as JSON. Sums are strings, because a JSON number isn't exact beyond 53 bits. `more` lists columns that were added
 * later.
 */
export const accountText = (more = '') => `
  CREATE OR REPLACE FUNCTION portico_account(a accounts) RETURNS JSON LANGUAGE sql STABLE AS $$
    SELECT json_build_array(a.id, a.plan, a.day, a.month, a.balance::text, a.held::text, a.used::text,
      a.day_requests::text, a.month_used::text${more}) $$`;

/** A request as JSON, in the same form as an account. */
export const requestText = (more = '') => `
  CREATE OR REPLACE FUNCTION portico_request(r requests) RETURNS JSON LANGUAGE sql STABLE AS $$
    SELECT json_build_array(r.id, r.account_id, r.key_id, r.day, r.status, r.byok::text, r.hold::text,
      r.lease_until::text, r.charge::text${more}) $$`;

const rowTexts = [
  accountText(),
  `CREATE FUNCTION portico_key(k api_keys) RETURNS JSON LANGUAGE sql STABLE AS $$
    SELECT json_build_array(k.id, k.parent_id, k.spend_limit::text, k.spent::text, k.held::text) $$`,
  requestText(),
];

/** Query plans are made once per connection, perhaps while the tables are empty, and must also be right for ten million rows. */
const steadyPlans = `SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off`;

/** Requests with their accounts and keys, accounts and keys by id, and keys with all their ancestors. */
const readFunction = `
  CREATE FUNCTION portico_books(account_ids TEXT[], key_ids TEXT[], request_ids TEXT[]) RETURNS JSON
  LANGUAGE plpgsql STABLE ${steadyPlans} AS $$
  BEGIN
    RETURN (
      WITH RECURSIVE asked AS (
        SELECT r FROM requests r WHERE r.id = ANY (request_ids)
      ), line (id, parent_id) AS (
        SELECT k.id, k.parent_id FROM api_keys k
          WHERE k.id = ANY (key_ids || ARRAY(SELECT (asked.r).key_id FROM asked WHERE (asked.r).key_id IS NOT NULL))
        UNION SELECT above.id, above.parent_id FROM line JOIN api_keys above ON above.id = line.parent_id
      )
      SELECT json_build_object(
        'committed', false,
        'accounts', (SELECT json_agg(portico_account(a)) FROM accounts a
          WHERE a.id = ANY (account_ids || ARRAY(SELECT (asked.r).account_id FROM asked))),
        'keys', (SELECT json_agg(portico_key(k)) FROM api_keys k WHERE k.id IN (SELECT line.id FROM line)),
        'requests', (SELECT json_agg(portico_request(asked.r)) FROM asked)));
  END $$`;

/** The numbers and names that a group was decided on, and the bounds within which its decisions stay the same. */
const accountColumns = `id TEXT, plan TEXT, day TEXT, month TEXT, counted_month TEXT,
  funds_min BIGINT, funds_max BIGINT, month_min BIGINT, month_max BIGINT, day_min BIGINT, day_max BIGINT,
  changed BOOLEAN, balance BIGINT, held BIGINT, used BIGINT, new_day TEXT, day_requests BIGINT,
  new_month TEXT, month_used BIGINT`;

/** Columns for an account's own limits. An instance of an earlier version doesn't send them. */
const limitColumns = `, day_limit BIGINT, month_limit BIGINT, unlimited_key TEXT, counted_day TEXT,
  spent_min BIGINT, spent_max BIGINT, day_used BIGINT`;

/**
 * Columns for the limits of single models. An instance of an earlier version doesn't know them and writes nothing for an account
 * that has such limits.
 */
const modelLimitColumns = ', model_limits TEXT, new_model_limits TEXT';

const between = (number: string, name: string) =>
  `(g.${name}_min IS NULL OR ${number} >= g.${name}_min) AND (g.${name}_max IS NULL OR ${number} <= g.${name}_max)`;

const limitsHold = `
        AND (g.counted_day IS NULL OR (
          a.day_limit IS NOT DISTINCT FROM g.day_limit AND a.month_limit IS NOT DISTINCT FROM g.month_limit
          AND a.unlimited_key IS NOT DISTINCT FROM g.unlimited_key
          AND ${between('CASE WHEN a.day = g.counted_day THEN a.day_used ELSE 0 END + a.held', 'spent')}))`;

const modelLimitsHold = `
        AND a.model_limits IS NOT DISTINCT FROM g.model_limits`;

/**
 * Not `r.status = 'running'`: for that, the planner may use the index of running requests, which still contains every request
 * that has run since the last vacuum.
 */
const isRunning = "coalesce(r.status, '') = 'running'";

const getIds = (rows: string) => `ARRAY(SELECT g.id FROM json_to_recordset(${rows}) AS g (id TEXT))`;

/**
 * Writes a group of events if the stored rows still allow all of them, otherwise nothing. Either way it returns the rows as they
 * are afterwards.
 *
 * `counted` lists counter columns that were added later and that an instance of an earlier version doesn't send. With `limited`,
 * accounts have their own limits; with `perModel`, also for single models. Rows are locked in one order (accounts, keys,
 * requests, each by id), so no two groups wait for each other. Each is also looked up by its list of ids: with a join alone, a
 * plan made while a table was small would scan all of it.
 */
export const commitFunction = (counted: readonly string[] = [], limited = false, perModel = false) => `
  CREATE ${counted.length === 0 ? '' : 'OR REPLACE '}FUNCTION portico_commit(
    account_guards JSON, key_guards JSON, request_guards JSON,
    opened JSON, raised JSON, renewed JSON, closed JSON, entries JSON, counts JSON
  ) RETURNS JSON
  LANGUAGE plpgsql VOLATILE ${steadyPlans} AS $$
  DECLARE
    holds BOOLEAN;
    account_rows JSON;
    key_rows JSON;
    account_ids TEXT[] := ${getIds('account_guards')};
    key_ids TEXT[] := ${getIds('key_guards')};
    running_ids TEXT[] := ${getIds('request_guards')};
    new_ids TEXT[] := ${getIds('opened')};
    request_ids TEXT[] := running_ids || new_ids;
  BEGIN
    SELECT count(*) = json_array_length(account_guards) INTO holds FROM (
      SELECT a.id FROM json_to_recordset(account_guards) AS g (${accountColumns}${limited ? limitColumns : ''}${perModel ? modelLimitColumns : ''}) JOIN accounts a ON a.id = g.id
      WHERE a.id = ANY (account_ids) AND a.plan = g.plan AND a.day = g.day AND a.month = g.month
        AND ${between('a.balance - a.held', 'funds')}
        AND ${between('CASE WHEN a.month = g.counted_month THEN a.month_used ELSE 0 END + a.held', 'month')}
        AND ${between('a.day_requests', 'day')}${limited ? limitsHold : ''}${perModel ? modelLimitsHold : ''}
      ORDER BY a.id FOR NO KEY UPDATE OF a
    ) AS locked;
    IF holds AND key_guards IS NOT NULL THEN
      SELECT count(*) = json_array_length(key_guards) INTO holds FROM (
        SELECT k.id FROM json_to_recordset(key_guards)
          AS g (id TEXT, parent_id TEXT, limited BOOLEAN, left_min BIGINT, left_max BIGINT) JOIN api_keys k ON k.id = g.id
        WHERE k.id = ANY (key_ids) AND k.parent_id IS NOT DISTINCT FROM g.parent_id
          AND (k.spend_limit IS NOT NULL) = g.limited
          AND ${between('k.spend_limit - k.spent - k.held', 'left')}
        ORDER BY k.id FOR NO KEY UPDATE OF k
      ) AS locked;
    END IF;
    IF holds AND request_guards IS NOT NULL THEN
      SELECT count(*) = json_array_length(request_guards) INTO holds FROM (
        SELECT r.id FROM json_to_recordset(request_guards) AS g (id TEXT, hold BIGINT, lease BIGINT)
          JOIN requests r ON r.id = g.id
        WHERE r.id = ANY (running_ids) AND ${isRunning} AND r.hold = g.hold
          AND (g.lease IS NULL OR r.lease_until = g.lease)
        ORDER BY r.id FOR NO KEY UPDATE OF r
      ) AS locked;
    END IF;
    IF holds AND opened IS NOT NULL THEN
      holds := NOT EXISTS (SELECT 1 FROM requests r WHERE r.id = ANY (new_ids));
    END IF;
    IF NOT holds THEN
      RETURN portico_books(account_ids, key_ids, request_ids);
    END IF;

    WITH written AS (
      UPDATE accounts a SET balance = a.balance + g.balance, held = a.held + g.held, used = a.used + g.used,
        day = g.new_day,
        day_requests = CASE WHEN a.day = g.new_day THEN a.day_requests ELSE 0 END + g.day_requests,
        month = g.new_month,
        month_used = CASE WHEN a.month = g.new_month THEN a.month_used ELSE 0 END + g.month_used${
          limited
            ? `,
        day_used = CASE WHEN a.day = g.new_day THEN a.day_used ELSE 0 END + coalesce(g.day_used, 0)`
            : ''
        }${perModel ? ', model_limits = g.new_model_limits' : ''}
      FROM json_to_recordset(account_guards) AS g (${accountColumns}${limited ? limitColumns : ''}${perModel ? modelLimitColumns : ''})
      WHERE a.id = ANY (account_ids) AND a.id = g.id AND g.changed
      RETURNING portico_account(a) AS line
    ) SELECT json_agg(line) INTO account_rows FROM written;
    IF key_guards IS NOT NULL THEN
      WITH written AS (
        UPDATE api_keys k SET held = k.held + g.held, spent = k.spent + g.spent
        FROM json_to_recordset(key_guards) AS g (id TEXT, held BIGINT, spent BIGINT)
        WHERE k.id = ANY (key_ids) AND k.id = g.id AND (g.held <> 0 OR g.spent <> 0)
        RETURNING portico_key(k) AS line
      ) SELECT json_agg(line) INTO key_rows FROM written;
    END IF;
    IF opened IS NOT NULL THEN
      INSERT INTO requests (id, account_id, key_id, instance_id, created, day, status, provider, model, purpose,
        conversation_id, end_user, metadata, byok, hold, lease_until)
      SELECT id, account_id, key_id, instance_id, created, day, 'running', provider, model, purpose,
        conversation_id, end_user, metadata, byok, hold, lease_until
      FROM json_populate_recordset(NULL::requests, opened);
    END IF;
    IF raised IS NOT NULL THEN
      UPDATE requests r SET hold = r.hold + g.by${perModel ? ', provider = coalesce(g.provider, r.provider), model = coalesce(g.model, r.model)' : ''}
      FROM json_to_recordset(raised) AS g (id TEXT, by BIGINT${perModel ? ', provider TEXT, model TEXT' : ''})
      WHERE r.id = ANY (request_ids) AND r.id = g.id;
    END IF;
    IF renewed IS NOT NULL THEN
      UPDATE requests r SET lease_until = g.lease_until
      FROM json_to_recordset(renewed) AS g (id TEXT, lease_until BIGINT)
      WHERE r.id = ANY (request_ids) AND r.id = g.id;
    END IF;
    IF closed IS NOT NULL THEN
      UPDATE requests r SET status = c.status, error_code = c.error_code, ended = c.ended, hold = 0, charge = c.charge,
        upstream_cost = c.upstream_cost, estimated = c.estimated, provider = c.provider, model = c.model,
        prompt_tokens = c.prompt_tokens, completion_tokens = c.completion_tokens, cached_tokens = c.cached_tokens,
        cache_write_tokens = c.cache_write_tokens, reasoning_tokens = c.reasoning_tokens,
        audio_tokens = c.audio_tokens, cache_write_1h_tokens = c.cache_write_1h_tokens,
        byok_fee_bps = c.byok_fee_bps, first_token_ms = c.first_token_ms, total_ms = c.total_ms, price = c.price,
        routing = c.routing${counted.map((name) => `, ${name} = coalesce(c.${name}, 0)`).join('')}
      FROM json_populate_recordset(NULL::requests, closed) AS c
      WHERE r.id = ANY (request_ids) AND r.id = c.id;
    END IF;
    IF entries IS NOT NULL THEN
      INSERT INTO ledger_entries (id, account_id, type, amount, balance_after, created, description, request_id,
        provider, model, estimated)
      SELECT e.id, e.account_id, e.type, e.amount, a.balance + e.beyond, e.created, e.description, e.request_id,
        e.provider, e.model, e.estimated
      FROM ROWS FROM (json_to_recordset(entries) AS (id TEXT, account_id TEXT, type TEXT, amount BIGINT, beyond BIGINT,
        created BIGINT, description TEXT, request_id TEXT, provider TEXT, model TEXT, estimated BIGINT))
        WITH ORDINALITY AS e JOIN accounts a ON a.id = e.account_id
      WHERE a.id = ANY (account_ids)
      ORDER BY e.ordinality;
    END IF;
    IF counts IS NOT NULL THEN
      INSERT INTO usage_daily AS u (account_id, day, provider, model, key_id, status, byok, requests, prompt_tokens,
        completion_tokens, cached_tokens, reasoning_tokens, charge, upstream_cost)
      SELECT account_id, day, provider, model, key_id, status, byok, requests, prompt_tokens, completion_tokens,
        cached_tokens, reasoning_tokens, charge, upstream_cost
      FROM json_populate_recordset(NULL::usage_daily, counts)
      ON CONFLICT (account_id, day, provider, model, key_id, status, byok) DO UPDATE SET
        requests = u.requests + excluded.requests, prompt_tokens = u.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = u.completion_tokens + excluded.completion_tokens,
        cached_tokens = u.cached_tokens + excluded.cached_tokens,
        reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens, charge = u.charge + excluded.charge,
        upstream_cost = u.upstream_cost + excluded.upstream_cost;
    END IF;
    RETURN json_build_object('committed', true, 'accounts', account_rows, 'keys', key_rows, 'requests', null);
  END $$`;
