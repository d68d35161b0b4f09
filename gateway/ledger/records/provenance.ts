import { sql } from 'kysely';
import { lostAnswerCodes } from '#shared/wire/request-record.ts';

const charged = sql`case when byok = 1 then upstream_cost else charge end`;
/** The provider may have worked on it. */
const mayHaveRun = sql`(prompt_tokens + completion_tokens > 0 or upstream_cost > 0
  or error_code in (${sql.join(lostAnswerCodes.map((code) => sql.lit(code)))}))`;

/** Where the cost of a request comes from, by its own flags: a word of `provenance` (`shared/wire/usage.ts`). */
export const provenance = sql<string>`case
  when price is null and status <> 'failed' and prompt_tokens + completion_tokens > 0 and charge = 0 and upstream_cost = 0
    then 'unknown'
  when (status = 'failed' and charge = 0) or (status = 'cancelled' and ${charged} = 0) then case
    when ${mayHaveRun} then case when byok = 1 then 'unknown' else 'unfinished' end
    when charge = 0 then 'uncharged'
    when byok = 1 then 'byok'
    else 'billed' end
  when estimated = 1 then 'estimated'
  when byok = 1 then 'byok'
  else 'billed' end`;

/**
 * Requests of which not everything is charged or known: `unknown` and `unfinished`. The first terms are those of the index
 * `requests_of_unknown_cost`, word for word: the database finds the few candidates by it.
 */
export const isUnsettled = sql<boolean>`status <> 'running' and (status <> 'succeeded' or price is null)
  and ${provenance} in ('unknown', 'unfinished')`;
