import { Secret } from '#gateway/access/auth/secret.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { gatewayClient } from '#shared/client/gateway-client.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { parseUsd } from '#shared/money.ts';
import type { SecretBox } from '../../storage/secrets/secret-box.ts';
import type { SettingsStore } from '../../storage/settings/settings-store.ts';
import type { Payer } from '../connection/connections.ts';
import { accountSetting, keySetting, type ProgramLimits } from './program-limits.ts';
import { waitAsAsked } from './wait-as-asked.ts';

/** Never resolved by DNS: such requests go to the gateway in this process. */
export const embeddedRoot = 'http://gateway.embedded';

/** A `fetch` for the built-in gateway, without a socket; aborting ends the response body as on a socket. */
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

/** The two accounts of the built-in gateway: for the user’s own provider keys, and for test credits. */
const embeddedAccountPlans: Readonly<Record<BillingAccount, EmbeddedAccountPlan>> = {
  main: { name: 'Your keys', plan: 'local', grant: null },
  sandbox: { name: 'Sandbox', plan: 'sandbox', grant: { amount: '10', description: 'Opening test credits' } },
};

export interface EmbeddedAccountDeps {
  readonly gateway: Gateway;
  readonly store: SettingsStore;
  readonly programLimits: Pick<ProgramLimits, 'write'>;
  readonly secrets: SecretBox;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** Opens each wallet once: its account, opening credits and the core’s key. */
export function embeddedAccounts(deps: EmbeddedAccountDeps) {
  const opened = new Map<BillingAccount, Promise<Payer>>();
  function open(billingAccount: BillingAccount): Promise<Payer> {
    const known = opened.get(billingAccount);
    if (known) return known;
    const opening = openBillingAccount(deps, billingAccount);
    opened.set(billingAccount, opening);
    // A failed attempt is repeated.
    opening.catch(() => opened.delete(billingAccount));
    return opening;
  }
  return {
    open,
    /** The ids of its account and of the core's key to it. */
    async getIds(billingAccount: BillingAccount) {
      await open(billingAccount);
      const [account, key] = await Promise.all(
        [accountSetting, keySetting].map((of) => deps.store.readText(of(billingAccount))),
      );
      return { account, key };
    },
    /** Other books may know neither their accounts nor their keys. */
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

/** The account’s id is stored; one created just before a crash is found by name and plan. */
async function accountFor({ gateway, store }: EmbeddedAccountDeps, billingAccount: BillingAccount): Promise<string> {
  const { name, plan, grant } = embeddedAccountPlans[billingAccount];
  const setting = accountSetting(billingAccount);
  const accounts = await gateway.operator.listAccounts();
  const kept = await store.readText(setting);
  const account =
    accounts.find((each) => each.id === kept) ??
    accounts.find((each) => each.name === name && each.plan === plan) ??
    (await gateway.operator.createAccount({ name, plan }));
  if (grant) {
    const { amount, description } = grant;
    const id = `opening_${account.id}`;
    await gateway.operator.grant({ accountId: account.id, amount: parseUsd(amount), description, id });
  }
  if (account.id !== kept) await store.write(setting, account.id);
  return account.id;
}

/** The key from the keychain if it is valid; else a new one, and the old one is revoked. */
async function keyFor(
  { gateway, store, secrets }: EmbeddedAccountDeps,
  billingAccount: BillingAccount,
  accountId: string,
) {
  const setting = keySetting(billingAccount);
  const secretName = `gateway/${billingAccount}`;
  const keptId = await store.readText(setting);
  const keys = await gateway.operator.listKeys(accountId);
  const kept = keys.find((key) => key.id === keptId && key.revokedAt === null);
  const secret = kept ? await secrets.get(secretName).catch(() => null) : null;
  if (secret) return secret;
  const made = await gateway.operator.createKey({ accountId, label: 'Portico', scopes: ['chat', 'models', 'account'] });
  const key = new Secret(made.key);
  await secrets.set(secretName, key);
  await store.write(setting, made.id);
  if (kept) await gateway.operator.revokeKey(kept.id);
  return key;
}
