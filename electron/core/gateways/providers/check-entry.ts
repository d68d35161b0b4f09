import type { Gateway } from '#gateway/gateway.ts';
import { getReason } from '#gateway/providers/upstream/upstream-error.ts';
import { AppError, type ErrorCode, getProblemText, type ProblemText, toAppError } from '#shared/errors.ts';
import { refusal, tell } from '#shared/language/refusals.ts';
import { parseBaseUrl } from '../connection/base-url.ts';
import { saidByGateway, withNames } from '../connection/gateway-errors.ts';
import { credentialWith, type Entry, type FurtherKey, getName } from './provider-entry.ts';
import type { CheckState } from './provider-store.ts';

const checkMs = 15_000;

interface CheckDeps {
  readonly gateway: Pick<Gateway, 'checkProvider'>;
  readonly now: () => number;
}

/** Checks the first key by a free request to the provider. */
export async function checkEntry({ gateway, now }: CheckDeps, entry: Entry): Promise<Entry> {
  return { ...entry, checkedAt: now(), ...(await checkSecret(gateway, entry, entry.secret)) };
}

/** Checks each of its keys. */
export async function checkAll(deps: CheckDeps, entry: Entry): Promise<Entry> {
  const checked = await checkEntry(deps, entry);
  const further = new Map<string, FurtherKey>();
  for (const [id, key] of entry.further) {
    further.set(id, key.secret ? { ...key, ...(await checkSecret(deps.gateway, entry, key.secret)) } : key);
  }
  return { ...checked, further };
}

/** The state of one key. */
export async function checkSecret(
  gateway: CheckDeps['gateway'],
  entry: Entry,
  secret: Entry['secret'],
): Promise<{ state: CheckState; problem: ProblemText | null }> {
  try {
    if (secret || entry.headers.size > 0) parseBaseUrl(entry.baseUrl, { withKey: true });
    await gateway.checkProvider(entry.id, credentialWith(entry, secret), AbortSignal.timeout(checkMs));
    return { state: 'works', problem: null };
  } catch (error) {
    const failure = checkFailure(error);
    const reason = getReason(failure);
    if (reason === 'no_model_list') return { state: 'works', problem: tell('serverWithoutList') };
    if (reason === 'no_models_listed') return { state: 'works', problem: tell('serverListEmpty') };
    return { state: stateAfter(failure.code), problem: getProblem(failure, entry) };
  }
}

function checkFailure(error: unknown): AppError {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return refusal('upstream_unreachable', 'providerSlow', { cause: error });
  }
  return toAppError(error);
}

/** The problem as the built-in gateway or the provider states it. */
function getProblem(failure: AppError, { id, settings }: Entry): ProblemText {
  if (failure.refusal) return getProblemText(failure);
  const naming = { modelFacts: () => null, providerName: () => getName(id, settings) };
  return saidByGateway(failure.code, withNames(failure.message, id, naming));
}

function stateAfter(code: ErrorCode): 'refused' | 'unchecked' | 'unreachable' {
  if (code === 'upstream_auth_failed') return 'refused';
  return code === 'upstream_rate_limited' ? 'unchecked' : 'unreachable';
}

/** Throws `upstream_auth_failed` if the provider refused the key: such a key is never saved. */
export function requireNotRefused({ state, problem }: Pick<Entry, 'state' | 'problem'>, provider: string): void {
  if (state !== 'refused') return;
  const { message, refusal } = problem ?? tell('keyRefused');
  throw new AppError('upstream_auth_failed', message, { provider, refusal });
}
