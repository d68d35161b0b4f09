import { AppError } from '#shared/errors.ts';
import { createSlotSet } from '../../runtime/concurrency/running.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { invalidKey } from './authorization-header.ts';
import { getStandings } from './key-standing.ts';
import type { Principal } from './principal.ts';
import { standing } from './verify-token.ts';

/** How often credentials with running answers are looked at where no change was told. */
const lookEveryMs = 2000;

/** Ends answers that run on a credential which was taken away meanwhile. */
export interface CredentialWatch {
  /** Calls `stop` once the credential is worth nothing any more. Returns what ends that. */
  watch(principal: Principal, stop: (why: AppError) => void): () => void;
  /** Something about some credential was changed: looks at once. Never throws. */
  look(): void;
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
 * Credentials are looked at while they have answers that run, and only then: where this process made the change at once, on
 * PostgreSQL with the notification, and everywhere every two seconds (security: within five).
 */
export function watchCredentials({ db, now, log }: CredentialWatchDeps): CredentialWatch {
  const watched = createSlotSet<Watched>();
  let timer: NodeJS.Timeout | null = null;
  let looking: Promise<void> | null = null;
  let again = false;

  async function lookAtAll(): Promise<void> {
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

  function look(): void {
    if (watched.size === 0) return;
    again = looking !== null;
    looking ??= lookAtAll()
      .catch((error: unknown) => log({ event: 'credentials_check_failed', level: 'warn', cause: String(error) }))
      .finally(() => {
        looking = null;
        if (again) look();
      });
  }

  return {
    watch(principal, stop) {
      timer ??= setInterval(look, lookEveryMs).unref();
      return watched.add({ principal, stop });
    },
    look,
    close() {
      if (timer) clearInterval(timer);
    },
  };
}

const suspended = (status: string) =>
  new AppError('account_suspended', `This account is ${status}. The answer was ended.`);

/** Which of these keys are worth nothing any more, by themselves or by one that they come from, and why. */
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
