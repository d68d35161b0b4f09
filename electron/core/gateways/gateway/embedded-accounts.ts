import { Secret } from '#gateway/access/auth/secret.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { gatewayClient } from '#shared/client/gateway-client.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { parseUsd } from '#shared/money.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import type { SecretBox } from '../../storage/secrets/secret-box.ts';
import type { Payer } from '../connection/connections.ts';
import { accountSetting, keySetting, type ProgramLimits } from './program-limits.ts';
import { waitAsAsked } from './wait-as-asked.ts';

/** A host that DNS never resolves. Requests to it go to the gateway in this process. */
export const embeddedRoot = 'http://gateway.embedded';

/**
 * Returns a `fetch` that calls the built-in gateway without a socket. Aborting ends the response body, as it would on a
 * socket.
 */
export function embeddedFetch(gateway: Pick<Gateway, 'fetch'>): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const signal = init?.signal ?? request.signal;
    // When a `Request` is garbage-collected, its own signal no longer follows the caller’s, and Stop would do nothing.
    Object.defineProperty(request, 'signal', { value: signal });
    signal.throwIfAborted();
    const response = await untilAborted(gateway.fetch(request), signal);
    if (!response.body) return response;
    const body = response.body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal });
    return new Response(body, response);
  };
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

interface EmbeddedAccountPlan {
  readonly name: string;
  readonly plan: string;
  readonly grant: { readonly amount: string; readonly description: string } | null;
}

/** The two accounts of the built-in gateway: one for the user’s own provider keys, one for test credits. */
const embeddedAccountPlans: Readonly<Record<BillingAccount, EmbeddedAccountPlan>> = {
  main: { name: 'Your keys', plan: 'local', grant: null },
  sandbox: { name: 'Sandbox', plan: 'sandbox', grant: { amount: '10', description: 'Opening test credits' } },
};

export interface EmbeddedAccountDeps extends CoreContext {
  readonly gateway: Gateway;
  readonly programLimits: Pick<ProgramLimits, 'write'>;
  readonly secrets: SecretBox;
}

/** Opens each billing account once, with its opening credits and the core’s key. */
export function embeddedAccounts(deps: EmbeddedAccountDeps) {
  const opened = new Map<BillingAccount, Promise<Payer>>();
  function open(billingAccount: BillingAccount): Promise<Payer> {
    const known = opened.get(billingAccount);
    if (known) return known;
    const opening = openBillingAccount(deps, billingAccount);
    opened.set(billingAccount, opening);
    // Forget a failed attempt, so that the next call tries again.
    opening.catch(() => opened.delete(billingAccount));
    return opening;
  }
  return {
    open,
    /** Returns the id of the account and the id of the core's key to it. */
    async getIds(billingAccount: BillingAccount) {
      await open(billingAccount);
      const [account, key] = await Promise.all(
        [accountSetting, keySetting].map((getSetting) => deps.settings.readText(getSetting(billingAccount))),
      );
      return { account, key };
    },
    /** Call this after the ledger was replaced: the new one may lack these accounts and keys. */
    forget: () => opened.clear(),
  };
}

async function openBillingAccount(deps: EmbeddedAccountDeps, billingAccount: BillingAccount): Promise<Payer> {
  const accountId = await accountFor(deps, billingAccount);
  const key = await keyFor(deps, billingAccount, accountId);
  if (billingAccount === 'main') await deps.programLimits.write();
  const client = gatewayClient({
    baseUrl: embeddedRoot,
    apiKey: () => key.reveal(),
    fetch: waitAsAsked(embeddedFetch(deps.gateway), deps.elapsed),
  });
  return { id: billingAccount, billingAccount, source: `embedded/${billingAccount}`, name: null, client };
}

/** Returns the stored account id. An account created just before a crash is found by name and plan. */
async function accountFor({ gateway, settings }: EmbeddedAccountDeps, billingAccount: BillingAccount): Promise<string> {
  const { name, plan, grant } = embeddedAccountPlans[billingAccount];
  const setting = accountSetting(billingAccount);
  const accounts = await gateway.operator.listAccounts();
  const stored = await settings.readText(setting);
  const account =
    accounts.find((candidate) => candidate.id === stored) ??
    accounts.find((candidate) => candidate.name === name && candidate.plan === plan) ??
    (await gateway.operator.createAccount({ name, plan }));
  if (grant) {
    const { amount, description } = grant;
    const id = `opening_${account.id}`;
    await gateway.operator.grant({ accountId: account.id, amount: parseUsd(amount), description, id });
  }
  if (account.id !== stored) await settings.write(setting, account.id);
  return account.id;
}

/** Returns the key from the keychain if it is valid. Otherwise creates a new one and revokes the old one. */
async function keyFor(
  { gateway, settings, secrets }: EmbeddedAccountDeps,
  billingAccount: BillingAccount,
  accountId: string,
) {
  const setting = keySetting(billingAccount);
  const secretName = `gateway/${billingAccount}`;
  const storedId = await settings.readText(setting);
  const keys = await gateway.operator.listKeys(accountId);
  const stored = keys.find((key) => key.id === storedId && key.revokedAt === null);
  const secret = stored ? await secrets.get(secretName).catch(() => null) : null;
  if (secret) return secret;
  const made = await gateway.operator.createKey({ accountId, label: 'Portico', scopes: ['chat', 'models', 'account'] });
  const key = new Secret(made.key);
  await secrets.set(secretName, key);
  await settings.write(setting, made.id);
  if (stored) await gateway.operator.revokeKey(stored.id);
  return key;
}
