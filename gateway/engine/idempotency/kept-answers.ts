import { timingSafeEqual } from 'node:crypto';
import { AppError } from '#shared/errors.ts';
import type { GatewayTransaction } from '../../storage/open-database.ts';
import type { KeptAnswerRow } from '../../storage/schema.ts';
import type { Transact } from '../../storage/transact.ts';
import type { Sealing } from './sealing.ts';

/** How long an answer is kept (wire contract §3.4). */
const keptMs = 60 * 60_000;
/** How long a running request keeps its key without a renewal. */
const leaseMs = 60_000;
export const renewEveryMs = 15_000;
const retryAfterMs = 1000;
const deletedAtOnce = 500;

interface Claim {
  /** The caller's credential, the path and its `Idempotency-Key`. */
  readonly parts: readonly [credential: string, path: string, key: string];
  readonly requestId: string;
  /** The digest of the canonical body, without the caller's provider key. */
  readonly body: string;
}

/** A key that this request now holds. It must be completed or released. */
export interface Claimed {
  readonly kind: 'claimed';
  /** Renews the claim. */
  renew(): Promise<void>;
  /** Stores the answer for requests with the same key. */
  complete(answer: string): Promise<void>;
  /** Lets the next request with the key run again. A stored answer stays. */
  release(): Promise<void>;
}

export interface Replay {
  readonly kind: 'replay';
  readonly answer: string;
}

/** The stored answers for `Idempotency-Key`, in the database. */
export interface KeptAnswers {
  /** Throws 409 while an earlier request with the key runs, and 422 when that request had another body. */
  claim(claim: Claim): Promise<Claimed | Replay>;
  /** Frees keys that an earlier process left running. Only when no other process can be alive. */
  freeRunning(): Promise<void>;
  /** Deletes answers that are too old. */
  forgetOld(): Promise<void>;
}

export interface KeptAnswersDeps {
  readonly transact: Transact;
  readonly sealing: Sealing;
  readonly now: () => number;
}

export function createKeptAnswers({ transact, sealing, now }: KeptAnswersDeps): KeptAnswers {
  const claimed = (id: string, requestId: string): Claimed => ({
    kind: 'claimed',
    renew: () =>
      transact(async (trx) => {
        await running(trx, id, requestId)
          .set({ lease_until: BigInt(now() + leaseMs) })
          .execute();
      }),
    complete: (answer) =>
      transact(async (trx) => {
        const expires = BigInt(now() + keptMs);
        await running(trx, id, requestId)
          .set({ lease_until: null, answer: sealing.seal(answer, id), expires })
          .execute();
      }),
    release: () =>
      transact(async (trx) => {
        await trx
          .deleteFrom('kept_answers')
          .where('id', '=', id)
          .where('request_id', '=', requestId)
          .where('answer', 'is', null)
          .execute();
      }),
  });

  return {
    async claim({ parts, requestId, body }) {
      const id = sealing.getName(parts);
      const fingerprint = sealing.getFingerprint(body);
      const known = await transact((trx) => claimOrFind(trx, { id, requestId, fingerprint }, now()));
      if (!known) return claimed(id, requestId);
      if (!timingSafeEqual(known.fingerprint, fingerprint)) throw reused();
      if (known.answer === null) throw inProgress();
      return { kind: 'replay', answer: sealing.open(known.answer, id) };
    },
    freeRunning: () =>
      transact(async (trx) => {
        await trx.deleteFrom('kept_answers').where('answer', 'is', null).execute();
      }),
    forgetOld: () =>
      transact(async (trx) => {
        await trx
          .deleteFrom('kept_answers')
          .where('id', 'in', (old) =>
            old.selectFrom('kept_answers').select('id').where('expires', '<=', BigInt(now())).limit(deletedAtOnce),
          )
          .execute();
      }),
  };
}

const running = (trx: GatewayTransaction, id: string, requestId: string) =>
  trx.updateTable('kept_answers').where('id', '=', id).where('request_id', '=', requestId).where('answer', 'is', null);

/** Claims a key that is free, or whose holder has died or expired; else returns its holder. */
async function claimOrFind(
  trx: GatewayTransaction,
  { id, requestId, fingerprint }: { id: string; requestId: string; fingerprint: Uint8Array },
  now: number,
): Promise<KeptAnswerRow | null> {
  const mine = {
    id,
    fingerprint,
    request_id: requestId,
    answer: null,
    lease_until: BigInt(now + leaseMs),
    expires: BigInt(now + keptMs),
  };
  // One statement, so that exactly one of any number of simultaneous requests gets the key.
  const taken = await trx
    .insertInto('kept_answers')
    .values(mine)
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet(mine)
        .where((row) =>
          row.or([row('kept_answers.expires', '<=', BigInt(now)), row('kept_answers.lease_until', '<=', BigInt(now))]),
        ),
    )
    .returning('request_id')
    .executeTakeFirst();
  if (taken) return null;
  const known = await trx.selectFrom('kept_answers').selectAll().where('id', '=', id).executeTakeFirst();
  // The key was released between the two statements, so this request gets it.
  return known ?? { ...mine, answer: null };
}

const reused = () =>
  new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key was sent with another body before. Use a new key for a new request.',
    { param: 'Idempotency-Key' },
  );

const inProgress = () =>
  new AppError('idempotency_in_progress', 'The first request with this Idempotency-Key is still running.', {
    retryAfterMs,
  });
