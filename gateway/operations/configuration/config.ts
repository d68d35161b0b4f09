import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { knownProviders } from '#shared/known-providers.ts';
import { readOnTheWay } from '#shared/plain-http.ts';
import { Secret } from '../../access/auth/secret.ts';
import { parsePublicKey } from '../../access/auth/signed-bytes.ts';
import { wholeBps } from '../../ledger/byok-fee.ts';
import type { ProviderCredential } from '../../providers/provider.ts';
import { defaultBaseUrl } from '../../providers/registry.ts';
import { mayCarrySecrets } from '../../providers/upstream/dispatch-fetch.ts';
import { type PlanEntry, planEntry, planId } from './plan-entry.ts';
import { baseUrl, credentialFrom, type ProviderEntry, providerEntry } from './provider-entry.ts';
import { issueLines, requireValid } from './valid-entry.ts';

type Env = Readonly<Record<string, string | undefined>>;

const aliasName = z
  .string()
  .regex(/^[\w.-]{1,256}$/, 'is letters, digits, ".", "_" and "-"')
  .refine((name) => name !== 'router' && name !== 'auto', 'is the router’s own name');
const configFile = z.strictObject({
  /** Keys and addresses of known providers, and servers under the operator's own names. */
  providers: z.record(z.string(), z.unknown()).default({}),
  /** Plans that add to the shipped ones or replace them. */
  plans: z.record(planId, planEntry).default({}),
  /** False hides the sandbox. */
  sandbox: z.boolean().default(true),
  /** Aliases for models: `{"fast-code": "openai/gpt-5.6-sol"}`. */
  aliases: z.record(aliasName, z.string().regex(/^[^/\s]+\/\S+$/, 'must be "provider/model"')).default({}),
  /** The fee for answers on a caller's own key, in basis points of their cost. */
  byok_fee_bps: z.int().min(0).max(wholeBps).optional(),
  /** The address of newer prices, and the public key that verifies them. */
  prices: z.strictObject({ url: z.string().min(1).optional(), key: z.string().min(1).optional() }).default({}),
  /** Host names under which the gateway may be addressed, besides loopback ones. */
  hosts: z.array(z.string().min(1)).default([]),
});

interface Config {
  readonly providers: Readonly<Record<string, ProviderCredential>>;
  /** Providers that the file names. */
  readonly inFile: readonly string[];
  readonly plans: Readonly<Record<string, PlanEntry>>;
  readonly sandbox: boolean;
  readonly aliases: Readonly<Record<string, string>>;
  readonly hosts: readonly string[];
  readonly byokFeeBps: number;
  readonly pricesUrl?: string | undefined;
  readonly pricesKey?: KeyObject | undefined;
}

/**
 * Loads the configuration from the environment and a JSON file. The file takes precedence. Throws `invalid_input` with the place
 * of the fault.
 */
export function loadConfig(path: string | undefined, env: Env): Config {
  const file = path === undefined ? configFile.parse({}) : readConfig(path);
  const providers: Record<string, ProviderCredential> = { ...fromEnvironment(env) };
  for (const [id, entry] of providersIn(path, file)) {
    providers[id] = naming(path, () => credentialFrom(id, entry, env));
  }
  for (const { variable, setting } of listVariables) {
    for (const id of (env[variable] ?? '').split(/[\s,]+/).filter((word) => word !== '')) {
      const credential = providers[id];
      if (!credential) throw new AppError('invalid_input', `${variable} names "${id}", which has no key or address.`);
      providers[id] = { ...setting, ...credential };
    }
  }
  const byokFeeBps = file.byok_fee_bps ?? feeFromEnvironment(env);
  const { url: pricesUrl = env.PORTICO_PRICES_URL?.trim() || undefined, key } = file.prices;
  const pricesKey =
    key === undefined ? keyFromEnvironment(env) : naming(path, () => readPricesKey(key, '"prices"."key"'));
  const inFile = Object.keys(file.providers);
  return {
    providers,
    inFile,
    plans: file.plans,
    sandbox: file.sandbox,
    aliases: file.aliases,
    hosts: file.hosts,
    byokFeeBps,
    pricesUrl,
    pricesKey,
  };
}

function readConfig(path: string): z.output<typeof configFile> {
  return requireValid(configFile.safeParse(parseJson(path, readText(path))), notValid(path));
}

/** Parses each provider in the form that its name requires. */
const providersIn = (path: string | undefined, { providers }: z.output<typeof configFile>) =>
  Object.entries(providers).map(([id, given]): [string, ProviderEntry] => {
    const result = providerEntry(id).safeParse(given);
    if (result.success) return [id, result.data];
    const lines = issueLines(result.error, ['providers', id]);
    throw new AppError('invalid_input', `${notValid(path)}: ${lines.join('; ')}.`);
  });

const notValid = (path: string | undefined) => `The configuration "${path}" is not valid`;

/** Adds the name of the file to an error. */
function naming<T>(path: string | undefined, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, `${notValid(path)}: ${error.message}`, { cause: error });
  }
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

/** Only the position is reported: the rest of the parser's message would quote the file, and perhaps a key. */
function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /line (\d+) column (\d+)/.exec((error as Error).message);
    const place = position ? `, from line ${position[1]}, column ${position[2]} on` : '';
    throw new AppError('invalid_input', `The configuration "${path}" is not valid JSON${place}.`);
  }
}

/** Variables that list providers, and the setting that each one adds to them. The file takes precedence. */
const listVariables: readonly { readonly variable: string; readonly setting: Partial<ProviderCredential> }[] = [
  { variable: 'PORTICO_ON_DISCONNECT_DRAIN', setting: { onDisconnect: 'drain' } },
  { variable: 'PORTICO_MAY_FETCH', setting: { mayFetch: true } },
];

function feeFromEnvironment(env: Env): number {
  const text = env.PORTICO_BYOK_FEE_BPS?.trim() || '0';
  const bps = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (bps <= wholeBps) return bps;
  throw new AppError('invalid_input', `PORTICO_BYOK_FEE_BPS must be a whole number from 0 to ${wholeBps}.`);
}

function keyFromEnvironment(env: Env): KeyObject | undefined {
  const text = env.PORTICO_PRICES_KEY?.trim();
  return text ? readPricesKey(text, 'PORTICO_PRICES_KEY') : undefined;
}

/** Throws `invalid_input` with the place of the key. */
export function readPricesKey(text: string, place: string): KeyObject {
  try {
    return parsePublicKey(text);
  } catch (cause) {
    throw new AppError(
      'invalid_input',
      `${place} is no public Ed25519 key, in PEM or base64 as "gateway prices sign" prints it.`,
      { cause },
    );
  }
}

/** A hosted provider needs a key, the operator's own server an address. */
function fromEnvironment(env: Env): Record<string, ProviderCredential> {
  const found: Record<string, ProviderCredential> = {};
  for (const { id, ownServer, env: names } of knownProviders) {
    const key = env[names.key]?.trim() || undefined;
    const url = env[names.baseUrl]?.trim() || undefined;
    if (url && !baseUrl.safeParse(url).success) {
      throw new AppError('invalid_input', `${names.baseUrl} must be an http or https URL.`);
    }
    if (ownServer ? url : key) found[id] = getCredential(id, key, url);
  }
  return found;
}

function getCredential(id: string, key: string | undefined, url: string | undefined): ProviderCredential {
  const address = (url ?? defaultBaseUrl(id) ?? '').replace(/\/+$/, '');
  if (key !== undefined && address !== '' && !mayCarrySecrets(address))
    throw new AppError('invalid_input', `The address of "${id}" needs https: ${readOnTheWay}`);
  return { apiKey: key === undefined ? null : new Secret(key), baseUrl: address };
}
