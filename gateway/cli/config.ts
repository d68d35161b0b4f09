import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { type KnownProvider, knownProviders } from '#shared/known-providers.ts';
import { Secret } from '../auth/secret.ts';
import { wholeBps } from '../ledger/byok-fee.ts';
import type { ProviderCredential } from '../providers/provider.ts';
import { defaultBaseUrl } from '../providers/registry.ts';
import { mayCarrySecrets, readOnTheWay } from '../upstream/secret-address.ts';

type Env = Readonly<Record<string, string | undefined>>;

const baseUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
const apiKey = z.string().min(1, 'must not be empty');
/** What becomes of an answer whose client leaves. */
const onDisconnect = z.enum(['abort', 'drain']).optional();
/** Whether it may fetch images itself (docs/decisions/033-who-may-fetch.md). */
const behaviour = { on_disconnect: onDisconnect, may_fetch: z.boolean().optional() };
const hosted = z.strictObject({ apiKey, baseUrl: baseUrl.optional(), ...behaviour });
/** A server of one's own may want no key; only one that has a usual place may leave its address out. */
const ownServer = z.strictObject({ apiKey: apiKey.optional(), baseUrl: baseUrl.optional(), ...behaviour });
const elsewhere = z.strictObject({ apiKey: apiKey.optional(), baseUrl, ...behaviour });
const entryOf = (known: KnownProvider) => (known.baseUrl === null ? elsewhere : known.ownServer ? ownServer : hosted);
const aliasName = z
  .string()
  .regex(/^[\w.-]{1,256}$/, 'is letters, digits, ".", "_" and "-"')
  .refine((name) => name !== 'router' && name !== 'auto', 'is the router’s own name');
const configFile = z.strictObject({
  providers: z
    .strictObject(Object.fromEntries(knownProviders.map((known) => [known.id, entryOf(known).optional()])))
    .default({}),
  /** False hides the sandbox. */
  sandbox: z.boolean().default(true),
  /** Other names for models: `{"fast-code": "openai/gpt-5.6-sol"}`. */
  aliases: z.record(aliasName, z.string().regex(/^[^/\s]+\/\S+$/, 'must be "provider/model"')).default({}),
  /** What is asked for answers on a caller's own key, in basis points of their cost. */
  byok_fee_bps: z.int().min(0).max(wholeBps).optional(),
  /** Host names under which the gateway may be addressed besides the loopback ones. */
  hosts: z.array(z.string().min(1)).default([]),
});

export interface Config {
  readonly providers: Readonly<Record<string, ProviderCredential>>;
  readonly sandbox: boolean;
  readonly aliases: Readonly<Record<string, string>>;
  readonly hosts: readonly string[];
  readonly byokFeeBps: number;
}

/** Provider keys from the environment, and from a JSON file whose entries come first. Throws `invalid_input`. */
export function loadConfig(path: string | undefined, env: Env): Config {
  const file = configFile.parse(path === undefined ? {} : readConfig(path));
  const providers: Record<string, ProviderCredential> = { ...fromEnvironment(env) };
  for (const [id, entry] of Object.entries(file.providers)) {
    if (!entry) continue;
    const { on_disconnect: onDisconnect, may_fetch: mayFetch } = entry;
    providers[id] = {
      ...credentialOf(id, entry.apiKey, entry.baseUrl),
      ...(onDisconnect === undefined ? {} : { onDisconnect }),
      ...(mayFetch === undefined ? {} : { mayFetch }),
    };
  }
  for (const { variable, says } of listVariables) {
    for (const id of (env[variable] ?? '').split(/[\s,]+/).filter((each) => each !== '')) {
      const credential = providers[id];
      if (!credential) throw new AppError('invalid_input', `${variable} names "${id}", which has no key or address.`);
      providers[id] = { ...says, ...credential };
    }
  }
  const byokFeeBps = file.byok_fee_bps ?? feeFromEnvironment(env);
  return { providers, sandbox: file.sandbox, aliases: file.aliases, hosts: file.hosts, byokFeeBps };
}

function readConfig(path: string): z.input<typeof configFile> {
  const parsed = configFile.safeParse(parseJson(path, readText(path)));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue?.path.join('.') || 'the file';
  throw new AppError('invalid_input', `The configuration "${path}" is not valid: ${where}: ${issue?.message}.`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new AppError('invalid_input', `The configuration "${path}" cannot be read: ${(cause as Error).message}.`, {
      cause,
    });
  }
}

/** The parser's own message would quote the file, and with it a key. */
function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('invalid_input', `The configuration "${path}" is not valid JSON.`);
  }
}

/** Variables that list providers, and what they say of each; what the file says of one comes first. */
const listVariables: readonly { readonly variable: string; readonly says: Partial<ProviderCredential> }[] = [
  { variable: 'PORTICO_ON_DISCONNECT_DRAIN', says: { onDisconnect: 'drain' } },
  { variable: 'PORTICO_MAY_FETCH', says: { mayFetch: true } },
];

function feeFromEnvironment(env: Env): number {
  const text = env.PORTICO_BYOK_FEE_BPS?.trim() || '0';
  const bps = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (bps <= wholeBps) return bps;
  throw new AppError('invalid_input', `PORTICO_BYOK_FEE_BPS must be a whole number from 0 to ${wholeBps}.`);
}

/** A key makes a hosted provider usable, an address a server of one's own. */
function fromEnvironment(env: Env): Record<string, ProviderCredential> {
  const found: Record<string, ProviderCredential> = {};
  for (const { id, ownServer, env: names } of knownProviders) {
    const key = env[names.key]?.trim() || undefined;
    const url = env[names.baseUrl]?.trim() || undefined;
    if (url && !baseUrl.safeParse(url).success) {
      throw new AppError('invalid_input', `${names.baseUrl} must be an http or https URL.`);
    }
    if (ownServer ? url : key) found[id] = credentialOf(id, key, url);
  }
  return found;
}

function credentialOf(id: string, key: string | undefined, url: string | undefined): ProviderCredential {
  const address = (url ?? defaultBaseUrl(id) ?? '').replace(/\/+$/, '');
  if (key !== undefined && address !== '' && !mayCarrySecrets(address))
    throw new AppError('invalid_input', `The address of "${id}" needs https: ${readOnTheWay}`);
  return { apiKey: key === undefined ? null : new Secret(key), baseUrl: address };
}
