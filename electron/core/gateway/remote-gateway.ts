import type { Secret } from '#gateway/auth/secret.ts';
import { gatewayClient } from '#shared/client/gateway-client.ts';
import type { SecretStorage } from '#shared/contract/common/fields.ts';
import { refusal } from '#shared/language/refusals.ts';
import { type BaseUrl, parseBaseUrl } from '../connection/base-url.ts';
import type { Payer } from '../connection/connections.ts';
import { hintOf, type SecretBox } from '../secrets/secret-box.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

const setting = 'gateway.remote';
const secretName = 'gateway/remote';

export interface Remote {
  readonly baseUrl: BaseUrl;
  readonly keyHint: string | null;
  readonly storage: SecretStorage;
}

export interface RemoteDeps {
  readonly store: SettingsStore;
  readonly secrets: SecretBox;
  readonly fetch: typeof fetch;
}

/** The billing account of a remote gateway, if the user has connected one. */
export function remoteGateway({ store, secrets, fetch: send }: RemoteDeps) {
  let current: Remote | null = null;
  let key: Secret | null = null;

  const clientFor = (baseUrl: BaseUrl, secret: Secret) =>
    gatewayClient({ baseUrl, apiKey: () => secret.reveal(), fetch: send });

  async function readKey(): Promise<Secret> {
    key ??= await secrets.get(secretName);
    if (key) return key;
    throw refusal('missing_credentials', 'gatewayKeyGone');
  }

  return {
    get: () => current,
    clientFor,
    /**
     * Loads the stored connection. The key belongs to the address that it was entered for: a restored database with
     * another address does not get it.
     */
    async load(): Promise<void> {
      const before = current;
      current = storedRemote(await store.read(setting));
      if (!before || !current || new URL(before.baseUrl).origin === new URL(current.baseUrl).origin) return;
      key = null;
      await secrets.remove(secretName);
    },
    /** Throws if the key cannot be read. */
    async payer(): Promise<Payer> {
      if (!current) throw refusal('gateway_unreachable', 'noGateway');
      const { baseUrl } = current;
      return { wallet: 'main', source: `${baseUrl}/main`, client: clientFor(baseUrl, await readKey()) };
    },
    async connect(baseUrl: BaseUrl, secret: Secret): Promise<void> {
      const storage = await secrets.set(secretName, secret);
      const next = { baseUrl, keyHint: hintOf(secret), storage };
      await store.write(setting, next);
      current = next;
      key = secret;
    },
    async disconnect(): Promise<void> {
      await secrets.remove(secretName);
      await store.forget(setting);
      current = null;
      key = null;
    },
  };
}

export type RemoteGateway = ReturnType<typeof remoteGateway>;

/** Null: none is stored, or its address is not allowed. */
function storedRemote(stored: unknown): Remote | null {
  if (typeof stored !== 'object' || stored === null || !('baseUrl' in stored)) return null;
  const keyHint = 'keyHint' in stored && typeof stored.keyHint === 'string' ? stored.keyHint : null;
  const storage = 'storage' in stored && stored.storage === 'session' ? 'session' : 'keychain';
  try {
    return { baseUrl: parseBaseUrl(String(stored.baseUrl), { withKey: true }), keyHint, storage };
  } catch {
    return null;
  }
}
