import { AppError } from '#shared/errors.ts';
import type { BooksDb } from '../db/open.ts';
import { standing } from '../tokens/verify-token.ts';
import { invalidKey } from './authorization-header.ts';
import type { Principal } from './principal.ts';

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
  readonly db: BooksDb;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

interface Watched {
  readonly principal: Principal;
  readonly stops: Set<(why: AppError) => void>;
}

const nameOf = ({ userId, tokenId, credential }: Principal) =>
  credential.type === 'jwt' ? `jwt ${userId} ${tokenId ?? ''} ${credential.created}` : `key ${credential.id}`;

/**
 * Credentials are looked at while they have answers that run, and only then: where this process made the change at once, on
 * PostgreSQL with the notification, and everywhere every two seconds (security: within five).
 */
export function watchCredentials({ db, log }: CredentialWatchDeps): CredentialWatch {
  const watched = new Map<string, Watched>();
  let timer: NodeJS.Timeout | null = null;
  let looking: Promise<void> | null = null;
  let again = false;

  async function lookAtAll(): Promise<void> {
    const all = [...watched.values()];
    const keys = all.flatMap(({ principal: { credential } }) =>
      credential.type === 'jwt' ? [] : (credential.id ?? []),
    );
    const refused = keys.length > 0 ? await refusedKeys(db, keys) : new Map<string, AppError>();
    for (const { principal, stops } of all) {
      const why =
        principal.credential.type === 'jwt'
          ? await refusedToken(db, principal)
          : refused.get(principal.credential.id ?? '');
      if (why) for (const stop of [...stops]) stop(why);
    }
  }

  function look(): void {
    if (watched.size === 0) return;
    again = looking !== null;
    looking ??= lookAtAll()
      .catch((error: unknown) => log({ event: 'credentials_not_looked_at', level: 'warn', cause: String(error) }))
      .finally(() => {
        looking = null;
        if (again) look();
      });
  }

  return {
    watch(principal, stop) {
      const name = nameOf(principal);
      const entry = watched.get(name) ?? { principal, stops: new Set() };
      watched.set(name, entry);
      entry.stops.add(stop);
      timer ??= setInterval(look, lookEveryMs).unref();
      return () => {
        entry.stops.delete(stop);
        if (entry.stops.size === 0 && watched.get(name) === entry) watched.delete(name);
      };
    },
    look,
    close() {
      if (timer) clearInterval(timer);
    },
  };
}

const suspended = (status: string) =>
  new AppError('account_suspended', `This account is ${status}. The answer was ended.`);

/** Which of these keys are worth nothing any more, and why. */
async function refusedKeys(db: BooksDb, ids: readonly string[]): Promise<Map<string, AppError>> {
  const rows = await db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select(['api_keys.id', 'api_keys.revoked_at', 'accounts.status'])
    .where('api_keys.id', 'in', [...new Set(ids)])
    .execute();
  const known = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    ids.flatMap((id): [string, AppError][] => {
      const row = known.get(id);
      if (!row || row.revoked_at !== null) return [[id, new AppError('invalid_api_key', invalidKey)]];
      return row.status === 'active' ? [] : [[id, suspended(row.status)]];
    }),
  );
}

async function refusedToken(db: BooksDb, { userId, tokenId, credential }: Principal): Promise<AppError | null> {
  try {
    const { status } = await standing(db, { sub: userId ?? '', iat: credential.created ?? 0, jti: tokenId });
    return status === 'active' ? null : suspended(status);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
