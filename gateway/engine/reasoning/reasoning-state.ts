import type { Kysely } from 'kysely';
import type { CallState } from '../../providers/changed-request.ts';
import type { GatewayTransaction } from '../../storage/open-database.ts';
import type { GatewayTables } from '../../storage/schema.ts';
import type { Transact } from '../../storage/transact.ts';
import type { Sealing } from '../idempotency/sealing.ts';

/** A tool call with the reasoning state that its provider wants back with it. */
export interface SignedCall {
  readonly id: string;
  readonly state: Readonly<Record<string, unknown>>;
}

/** The owner of reasoning state: the account that it was made for, and the model (`provider/model`) that made it. */
export interface ReasoningOwner {
  readonly accountId: string;
  readonly model: string;
}

/**
 * Stores signed reasoning for clients that send a call back without it (docs/decisions/051). Only the account that it was made for finds
 * it, and only for the model that made it: vendors refuse what another model signed.
 */
export interface ReasoningState {
  keep(owner: ReasoningOwner, calls: readonly SignedCall[]): Promise<void>;
  /** Returns the stored state of these calls, by their ids. */
  recall(owner: ReasoningOwner, ids: readonly string[]): Promise<CallState>;
  /** Deletes state that is too old, and the oldest of accounts with too much. */
  forgetOld(): Promise<void>;
}

interface ReasoningStateDeps {
  readonly db: Kysely<GatewayTables>;
  readonly transact: Transact;
  readonly sealing: Sealing;
  readonly now: () => number;
  /** How long state is stored; 0 stores nothing. */
  readonly keptMs?: number;
}

export const usualKeptMs = 60 * 60_000;
/** The most that is stored of one answer, in characters of JSON. The longest thinking of today's models is half of it. */
export const maxState = 262_144;
/** The most entries of one account; the newest stay. */
export const maxKept = 10_000;
const deletedAtOnce = 500;

/** Whether an id is random. Servers that count (`call_0`, `functions.get:0`) give the same id to many calls. */
const isDrawn = (id: string) => /(?=[A-Za-z]*\d)[A-Za-z0-9]{8}/.test(id);

export function createReasoningState({
  db,
  transact,
  sealing,
  now,
  keptMs = usualKeptMs,
}: ReasoningStateDeps): ReasoningState {
  const getName = ({ accountId, model }: ReasoningOwner, id: string) =>
    sealing.getName(['reasoning', accountId, model, id]);
  /** Accounts that have stored something since the last check of their total. */
  const grown = new Set<string>();

  function toRows(owner: ReasoningOwner, calls: readonly SignedCall[]) {
    let left = maxState;
    const expires = BigInt(now() + keptMs);
    return calls.flatMap(({ id, state }) => {
      const text = JSON.stringify(state);
      left -= text.length;
      if (left < 0 || !isDrawn(id)) return [];
      const name = getName(owner, id);
      return [{ id: name, account_id: owner.accountId, expires, state: sealing.seal(text, name) }];
    });
  }

  async function deleteOld(trx: GatewayTransaction): Promise<number> {
    const { numDeletedRows } = await trx
      .deleteFrom('kept_reasoning')
      .where('id', 'in', (old) =>
        old.selectFrom('kept_reasoning').select('id').where('expires', '<=', BigInt(now())).limit(deletedAtOnce),
      )
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  }

  return {
    async keep(owner, calls) {
      const rows = keptMs === 0 ? [] : toRows(owner, calls);
      if (rows.length === 0) return;
      await transact(async (trx) => {
        await trx
          .insertInto('kept_reasoning')
          .values(rows)
          .onConflict((conflict) =>
            conflict.column('id').doUpdateSet((row) => ({
              expires: row.ref('excluded.expires'),
              state: row.ref('excluded.state'),
            })),
          )
          .execute();
      });
      grown.add(owner.accountId);
    },
    async recall(owner, ids) {
      const names = new Map(ids.filter(isDrawn).map((id) => [getName(owner, id), id]));
      if (names.size === 0 || keptMs === 0) return new Map();
      const rows = await db
        .selectFrom('kept_reasoning')
        .select(['id', 'state'])
        .where('id', 'in', [...names.keys()])
        .where('expires', '>', BigInt(now()))
        .execute();
      return new Map(rows.map(({ id, state }) => [names.get(id) ?? '', JSON.parse(sealing.open(state, id))]));
    },
    async forgetOld() {
      const accounts = [...grown];
      grown.clear();
      let deleted = deletedAtOnce;
      while (deleted === deletedAtOnce) deleted = await transact(deleteOld);
      for (const account of accounts) {
        await transact(async (trx) => {
          await trx
            .deleteFrom('kept_reasoning')
            .where('account_id', '=', account)
            .where('expires', '<=', (newest) =>
              newest
                .selectFrom('kept_reasoning')
                .select('expires')
                .where('account_id', '=', account)
                .orderBy('expires', 'desc')
                .limit(1)
                .offset(maxKept),
            )
            .execute();
        });
      }
    },
  };
}
