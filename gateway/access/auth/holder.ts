import { AppError } from '#shared/errors.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { invalidKey } from './authorization-header.ts';
import { requireActive, requireScope } from './authorize.ts';
import { keyPrincipal, requireNotEnded } from './key-principal.ts';
import { getStandings } from './key-standing.ts';
import type { Plan, Principal } from './principal.ts';
import { standing } from './verify-token.ts';

/**
 * Returns a caller as the database has it now, not as it was when its request was admitted. Used before something is created that
 * outlives the request, such as a key. Throws 401 and 403 as authorization does.
 */
export async function holderNow(db: GatewayDb, principal: Principal, now: number): Promise<Principal> {
  const holder =
    principal.credential.id === null
      ? await tokenHolder(db, principal, now)
      : await keyHolder(db, principal.credential.id, principal.plan, now);
  requireActive(holder);
  requireScope(holder, 'account');
  return holder;
}

async function keyHolder(db: GatewayDb, id: string, plan: Plan, now: number): Promise<Principal> {
  const standing = (await getStandings(db, [id], now)).get(id);
  if (!standing) throw new AppError('invalid_api_key', invalidKey);
  const holder = keyPrincipal(standing, () => plan);
  requireNotEnded(holder, now);
  return holder;
}

async function tokenHolder(db: GatewayDb, principal: Principal, now: number): Promise<Principal> {
  const row = await standing(db, principal, now);
  return { ...principal, accountStatus: row.status };
}
