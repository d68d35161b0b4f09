import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { Secret } from '#gateway/access/auth/secret.ts';
import { certificatesIn } from '#gateway/providers/upstream/certificates.ts';
import type { NetworkHop, NetworkSettings, NetworkStatus } from '#shared/contract/app/network.ts';
import { AppError } from '#shared/errors.ts';
import { refusal, toProblemText } from '#shared/language/refusals.ts';
import { failureEntry } from '../../runtime/log/log.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import type { SecretBox } from '../../storage/secrets/secret-box.ts';
import { networkFile } from './network-file.ts';
import { type Network, type NetworkRules, usualRules } from './open-network.ts';
import { testConnection } from './test-way.ts';

export interface NetworkFeatureDeps extends CoreContext {
  readonly network: Network;
  readonly secrets: Pick<SecretBox, 'get' | 'set' | 'remove'>;
  /** Origins that the app calls. */
  readonly targets: () => Promise<NetworkStatus['targets']>;
}

const name = 'network';
const secretName = 'network/proxy';
/** Nothing answers there: what the host itself would call is not called. */
const nowhere = 'http://127.0.0.1:9';

/** The network settings, and a connection test. */
export function networkFeature({
  network,
  dataFolder,
  settings: store,
  host,
  secrets,
  changes,
  log,
  targets,
  elapsed,
}: NetworkFeatureDeps) {
  const file = networkFile(join(dataFolder, 'network.json'));
  const { showProxy } = host;
  const apply = (rules: NetworkRules) => {
    network.apply(rules);
    showProxy?.(rules.unreadable ? { ...rules, proxy: 'fixed', address: nowhere } : rules);
  };

  function settings(): NetworkSettings {
    const { password: _, ...usual } = usualRules;
    return file.read() ?? usual;
  }

  /** If the keychain can't be read there is no password. The proxy then answers that it needs one. */
  const password = async (): Promise<string | null> =>
    (await secrets.get(secretName).catch(() => null))?.reveal() ?? null;

  async function rules(): Promise<NetworkRules> {
    const set = settings();
    return { ...set, password: set.username === '' ? null : await password() };
  }

  /** Settings that cannot be read may have named a proxy, so no call goes past it. */
  const rulesOrNone = (): Promise<NetworkRules> =>
    rules().catch((cause: unknown) => {
      log({ event: 'network_settings', ...failureEntry(cause) });
      return { ...usualRules, unreadable: true };
    });

  const shown = async ({ password: kept, unreadable, ...set }: NetworkRules): Promise<NetworkStatus> => ({
    ...set,
    problem: unreadable ? toProblemText('networkUnreadable') : null,
    hasPassword: kept !== null,
    targets: await targets(),
  });

  return {
    /** Requests wait until this has finished. Unreadable settings are replaced by the defaults. */
    async load(): Promise<void> {
      await store.forget(name);
      apply(await rulesOrNone());
    },
    get: async (): Promise<NetworkStatus> => shown(await rulesOrNone()),
    async set({ password: given, ...wanted }: NetworkSettings & { password?: string | null | undefined }) {
      const checked = checkedSettings(wanted);
      if (given === null || checked.username === '') await secrets.remove(secretName).catch(unlessNoKeychain);
      else if (given !== undefined) await secrets.set(secretName, new Secret(given));
      file.write(checked);
      const next = await rules();
      apply(next);
      changes.emit('network');
      return shown(next);
    },
    async test({ origin }: { origin: string }, signal: AbortSignal | undefined): Promise<NetworkHop[]> {
      if (!(await targets()).some((target) => target.origin === origin))
        throw refusal('invalid_input', 'networkTarget');
      return testConnection(origin, { network, elapsed, signal });
    },
  };
}

/** Where there is no keychain, no password is kept in it. */
function unlessNoKeychain(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'keychain_failed')) throw error;
}

function checkedSettings(given: NetworkSettings): NetworkSettings {
  const address = given.address.trim();
  if (given.certificates.trim() !== '') checkCertificates(given.certificates);
  if (given.proxy !== 'fixed') return { ...given, address: '', username: '' };
  const refuse = (why: 'proxyAddress' | 'proxyHasPassword') =>
    refusal('invalid_input', why, { details: { param: 'address' } });
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !/^(https?|socks5):$/.test(url.protocol) || url.hostname === '') throw refuse('proxyAddress');
  if (url.username || url.password) throw refuse('proxyHasPassword');
  if ((url.pathname !== '' && url.pathname !== '/') || url.search || url.hash) throw refuse('proxyAddress');
  return { ...given, address };
}

function checkCertificates(text: string): void {
  const blocks = certificatesIn(text);
  if (blocks.length === 0 || !blocks.every(isCertificate))
    throw refusal('invalid_input', 'noCertificate', { details: { param: 'certificates' } });
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).subject !== undefined;
  } catch {
    return false;
  }
}

interface Called {
  readonly list: () => Promise<readonly { readonly name: string; readonly baseUrl: string | null }[]>;
}

/** Returns every gateway that is set up, and every provider that has an address. */
export async function callTargets(
  providers: Called,
  gateways: { readonly all: () => readonly { readonly baseUrl: string }[] },
): Promise<NetworkStatus['targets']> {
  const named = [
    ...gateways.all().map(({ baseUrl }) => ({ name: new URL(baseUrl).host, baseUrl })),
    ...(await providers.list()),
  ];
  const byOrigin = new Map<string, string>();
  for (const { name: title, baseUrl } of named) {
    if (baseUrl === null || !URL.canParse(baseUrl)) continue;
    const { origin } = new URL(baseUrl);
    if (!byOrigin.has(origin)) byOrigin.set(origin, title);
  }
  return [...byOrigin].map(([origin, title]) => ({ name: title, origin }));
}
