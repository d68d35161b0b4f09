import { AppError } from '#shared/errors.ts';
import { createSlotSet } from '../../runtime/concurrency/running.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { invalidKey } from './authorization-header.ts';
import { getStandings } from './key-standing.ts';
import type { Principal } from './principal.ts';
import { standing } from './verify-token.ts';

/** How often credentials with running answers are checked without a notification. */
const checkEveryMs = 2000;

/** Ends answers whose credential was revoked while they run. */
export interface CredentialWatch {
  /** Calls `stop` when the credential isn't valid any more. Returns a function that ends the watch. */
  watch(principal: Principal, stop: (why: AppError) => void): () => void;
  /** Checks all watched credentials now, because some credential was changed. Never throws. */
  check(): void;
  close(): void;
}

export interface CredentialWatchDeps {
  readonly db: GatewayDb;
  readonly now: () => number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

interface Watched {
  readonly principal: Principal;
  readonly stop: (why: AppError) => void;
}

const getName = ({ userId, tokenId, tokenKey, credential }: Principal) =>
  credential.type === 'jwt'
    ? `jwt ${userId} ${tokenId ?? ''} ${tokenKey ?? ''} ${credential.created}`
    : `key ${credential.id}`;

/**
 * Credentials are only checked while they have running answers: at once when this process made a change, on PostgreSQL when a
 * notification arrives, and in any case every two seconds. The security requirement is five.
 */
export function watchCredentials({ db, now, log }: CredentialWatchDeps): CredentialWatch {
  const watched = createSlotSet<Watched>();
  let timer: NodeJS.Timeout | null = null;
  let checking: Promise<void> | null = null;
  let checkAgain = false;

  async function checkWatched(): Promise<void> {
    const all = new Map([...watched].map(({ principal }) => [getName(principal), principal]));
    const keys = [...all.values()].flatMap(({ credential }) =>
      credential.type === 'jwt' ? [] : (credential.id ?? []),
    );
    const refusedIds = keys.length > 0 ? await refusedKeys(db, keys, now()) : new Map<string, AppError>();
    const refused = new Map<string, AppError>();
    for (const [name, principal] of all) {
      const { type, id } = principal.credential;
      const why = type === 'jwt' ? await refusedToken(db, principal, now()) : refusedIds.get(id ?? '');
      if (why) refused.set(name, why);
    }
    if (refused.size === 0) return;
    for (const { principal, stop } of [...watched]) {
      const why = refused.get(getName(principal));
      if (why) stop(why);
    }
  }

  function check(): void {
    if (watched.size === 0) return;
    checkAgain = checking !== null;
    checking ??= checkWatched()
      .catch((error: unknown) => log({ event: 'credentials_check_failed', level: 'warn', cause: String(error) }))
      .finally(() => {
        checking = null;
        if (checkAgain) check();
      });
  }

  return {
    watch(principal, stop) {
      timer ??= setInterval(check, checkEveryMs).unref();
      return watched.add({ principal, stop });
    },
    check,
    close() {
      if (timer) clearInterval(timer);
    },
  };
}

const suspended = (status: string) =>
  new AppError('account_suspended', `This account is ${status}. The answer was ended.`);

/** Returns which of these keys aren't valid any more, because of themselves or an ancestor, and why. */
async function refusedKeys(db: GatewayDb, ids: readonly string[], now: number): Promise<Map<string, AppError>> {
  const known = await getStandings(db, ids, now, 'as stored');
  return new Map(
    ids.flatMap((id): [string, AppError][] => {
      const key = known.get(id);
      if (!key || key.isRevoked) return [[id, new AppError('invalid_api_key', invalidKey)]];
      return key.accountStatus === 'active' ? [] : [[id, suspended(key.accountStatus)]];
    }),
  );
}

async function refusedToken(db: GatewayDb, principal: Principal, now: number): Promise<AppError | null> {
  try {
    const { status } = await standing(db, principal, now);
    return status === 'active' ? null : suspended(status);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
