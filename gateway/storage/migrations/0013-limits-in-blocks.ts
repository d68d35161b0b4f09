/**
 * Part of migration `0013-group-commit`: rate limits and running requests of all instances, for many keys in one call (decision
 * 040). The functions of migration 0005 stay for instances of the previous version, which may run beside this one; both use the
 * same rows.
 */
export const limitsInBlocks = [
  'ALTER TABLE limit_places ADD COLUMN places BIGINT NOT NULL DEFAULT 1 CHECK (places > 0)',
  /**
   * Takes costs one by one from the last 60 seconds of a key if its limit allows them, and a block for whatever is asked within
   * the next `block_ms`. All of the block counts from the latest time at which it can be used. The lock serializes the calls for
   * one key, so together they never exceed the limit. Costs within half a second share a row.
   */
  `CREATE FUNCTION portico_take_block(
    wanted_key TEXT, wanted_limit BIGINT, costs BIGINT[], block BIGINT, corrections JSON, block_ms BIGINT, given BIGINT
  ) RETURNS JSON LANGUAGE plpgsql VOLATILE AS $$
  #variable_conflict use_variable
  DECLARE
    moment BIGINT;
    used BIGINT;
    latest BIGINT;
    cost BIGINT;
    taken BIGINT := 0;
    admitted BOOLEAN[] := '{}';
    uses JSON;
  BEGIN
    -- After the lock was waited for: times never run backwards within a key.
    moment := coalesce(given, portico_now());
    IF corrections IS NOT NULL THEN
      UPDATE limit_uses u SET cost = greatest(0, u.cost + c.difference)
        FROM json_to_recordset(corrections) AS c (bucket BIGINT, difference BIGINT)
        WHERE u.key = wanted_key AND u.bucket = c.bucket AND u.at > moment - 60000;
    END IF;
    SELECT coalesce(sum(u.cost), 0), max(u.at) INTO used, latest
      FROM limit_uses u WHERE u.key = wanted_key AND u.at > moment - 60000 AND u.cost > 0;
    IF latest > moment + block_ms THEN
      -- The database's clock was set back: nothing lies further ahead than a block, or it would count for too long.
      UPDATE limit_uses u SET at = moment WHERE u.key = wanted_key AND u.at > moment + block_ms;
      latest := moment;
    END IF;
    FOREACH cost IN ARRAY costs LOOP
      admitted := admitted || (used + taken + cost <= wanted_limit);
      IF used + taken + cost <= wanted_limit THEN
        taken := taken + cost;
      END IF;
    END LOOP;
    -- A small share of what is left: what one instance has in hand the others are refused.
    block := least(block, (wanted_limit - used - taken) / 16);
    IF block < 4 THEN
      -- Little is left, or little is used: then each use is asked for, and counts from when it was asked for.
      block := 0;
      block_ms := 0;
    END IF;
    IF taken + block > 0 THEN
      INSERT INTO limit_uses AS entry (key, bucket, at, cost)
        VALUES (wanted_key, (moment + block_ms) / 500, moment + block_ms, taken + block)
        ON CONFLICT (key, bucket) DO UPDATE SET at = greatest(entry.at, excluded.at),
          cost = CASE WHEN entry.at > moment - 60000 THEN entry.cost ELSE 0 END + excluded.cost;
      latest := greatest(latest, moment + block_ms);
    END IF;
    IF false = ANY (admitted) THEN
      SELECT json_agg(json_build_array(u.at, u.cost) ORDER BY u.at, u.bucket) INTO uses
        FROM limit_uses u WHERE u.key = wanted_key AND u.at > moment - 60000 AND u.cost > 0;
    END IF;
    RETURN json_build_object('key', wanted_key, 'admitted', admitted, 'block', block, 'moment', moment,
      'bucket', (moment + block_ms) / 500, 'used', used + taken + block, 'latest', latest, 'uses', uses);
  END $$`,
  /**
   * Records how many requests of a key run at an instance, and reserves places for more: for those that begin now, and some spare
   * ones. Places whose lease has run out are free. Places of running requests are never taken away.
   */
  `CREATE FUNCTION portico_take_places(
    wanted_key TEXT, wanted_limit BIGINT, running BIGINT, wanted BIGINT, spare BIGINT, holder TEXT, lease_ms BIGINT,
    given BIGINT
  ) RETURNS JSON LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    moment BIGINT := coalesce(given, portico_now());
    free BIGINT;
    room BIGINT;
  BEGIN
    SELECT greatest(0, wanted_limit - running - coalesce(sum(p.places), 0)) INTO free FROM limit_places p
      WHERE p.key = wanted_key AND p.lease_until > moment AND p.instance_id <> holder;
    wanted := least(wanted, free);
    room := greatest(0, (free - wanted) / 16);
    spare := least(spare, room);
    IF running + wanted + spare > 0 THEN
      INSERT INTO limit_places (id, key, instance_id, lease_until, places)
        VALUES (holder || ' ' || wanted_key, wanted_key, holder, moment + lease_ms, running + wanted + spare)
        ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until, places = excluded.places;
    ELSE
      DELETE FROM limit_places p WHERE p.id = holder || ' ' || wanted_key;
    END IF;
    RETURN json_build_object('key', wanted_key, 'entered', wanted, 'spare', spare, 'room', room);
  END $$`,
  /** Both functions for many keys at once. Keys are locked in one order. */
  `CREATE FUNCTION portico_limits(
    windows JSON, places JSON, holder TEXT, lease_ms BIGINT, block_ms BIGINT, given BIGINT
  ) RETURNS JSON LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    asked RECORD;
    window_answers JSON[] := '{}';
    place_answers JSON[] := '{}';
  BEGIN
    FOR asked IN SELECT w.*, hashtextextended(w.key, 5) AS lock FROM json_to_recordset(windows)
      AS w (key TEXT, "limit" BIGINT, costs BIGINT[], block BIGINT, corrections JSON) ORDER BY lock
    LOOP
      PERFORM pg_advisory_xact_lock(asked.lock);
      window_answers := window_answers || portico_take_block(
        asked.key, asked."limit", asked.costs, asked.block, asked.corrections, block_ms, given);
    END LOOP;
    FOR asked IN SELECT p.*, hashtextextended(p.key, 6) AS lock FROM json_to_recordset(places)
      AS p (key TEXT, "limit" BIGINT, running BIGINT, wanted BIGINT, spare BIGINT) ORDER BY lock
    LOOP
      PERFORM pg_advisory_xact_lock(asked.lock);
      place_answers := place_answers || portico_take_places(
        asked.key, asked."limit", asked.running, asked.wanted, asked.spare, holder, lease_ms, given);
    END LOOP;
    RETURN json_build_object('windows', array_to_json(window_answers), 'places', array_to_json(place_answers));
  END $$`,
];
