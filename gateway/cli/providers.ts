import { AppError, toAppError } from '#shared/errors.ts';
import { type KnownProvider, knownProviders } from '#shared/known-providers.ts';
import { serverKinds } from '#shared/server-kinds.ts';
import { loadConfig } from '../operations/configuration/config.ts';
import { credentialFrom, type GivenProvider, type ProviderEntry } from '../operations/configuration/provider-entry.ts';
import type { Administrator } from '../operations/operator/operator.ts';
import { checkCredential } from '../providers/check-credential.ts';
import { getEnds } from '../providers/key-order.ts';
import { type FoundServer, findLocalServers } from '../providers/local-servers.ts';
import type { ProviderCredential, ProviderKey } from '../providers/provider.ts';
import { createRegistry } from '../providers/registry.ts';
import { platformFetch } from '../providers/upstream/upstream-response.ts';
import type { GatewayCommand, OptionTexts, Output } from './gateway-command.ts';
import { onDatabaseIfAny } from './on-database.ts';

/** Defines the commands for providers: known ones, and servers under the operator's own names. */
export function define(program: GatewayCommand): void {
  const providers = program.command('providers').description('who answers');
  providers
    .command('list')
    .description('providers with the variable that switches each one on, and those that were added')
    .example('gateway providers list')
    .answers(listProviders);
  providers
    .command('add')
    .description('adds a server under a name of its own, or several keys or another address of a known provider')
    .argument('<NAME>')
    .option('--url <URL>', 'its address; with a key or headers https, or http on this machine')
    .option('--kind <KIND>', `${serverKinds.join(', ')} (default: openai-compatible)`)
    .option('--name <TEXT>', 'how people are shown it')
    .option('--keys <LIST>', 'keys in their order, each as label=env:VARIABLE or label=file:/path')
    .option('--headers <LIST>', 'headers of every request, each as name=env:VARIABLE or name=file:/path')
    .option(
      '--models <LIST>',
      'models that it has, each as name or name=model of the price book; with Azure, its deployments',
    )
    .option('--api-version <DATE>', 'Azure only: asks deployments by dated paths in place of /openai/v1')
    .example(
      'gateway providers add cellar --kind ollama --url http://10.0.0.5:11434/v1',
      'gateway providers add openai --keys team=env:OPENAI_TEAM,spare=file:/run/secrets/openai',
      'gateway providers add azure --kind azure-openai --url https://NAME.openai.azure.com --keys main=env:AZURE_KEY \\',
      '        --models chat-prod=openai/gpt-5.4-mini',
    )
    .operates(addProvider, true);
  providers
    .command('test')
    .description('asks one with each of its keys, by a free call; exit code 1 where one does not work')
    .argument('<NAME>')
    .option('--config <FILE>', 'the configuration file that "serve" is given')
    .example('gateway providers test openai', 'gateway providers test azure --config gateway.json')
    .answers(testProvider);
  providers
    .command('remove')
    .description('forgets what was added')
    .argument('<NAME>')
    .example('gateway providers remove cellar')
    .operates(async (operator, id: string) => {
      await operator.removeProvider(id);
      return {
        lines: ['Removed. Running gateways know within a quarter of a minute:', id],
        json: { id, removed: true },
      };
    });
  providers
    .command('discover')
    .description('servers of your own that answer on this machine')
    .example('gateway providers discover --json')
    .answers(discoverServers);
}

/** Lists the known providers and, if there is a database, those defined in it. */
async function listProviders(_options: object, { database }: GatewayCommand): Promise<Output> {
  const defined = (await getDefined(database)) ?? new Map<string, ProviderEntry>();
  const all: readonly KnownProvider[] = knownProviders;
  return {
    lines: [
      ...all.map(({ id, name, baseUrl, ownServer, env }) =>
        [id, name, ownServer ? env.baseUrl : env.key, baseUrl ?? 'an address of your own'].join('\t'),
      ),
      ...[...defined].map(([id, entry]) => [id, ...getWords(entry)].join('\t')),
    ],
    json: [...all, ...[...defined].map(([id, entry]) => ({ id, defined: entry }))],
  };
}

/** Returns the columns for a defined provider. Keys are shown only by the place where they are. */
const getWords = ({ name, kind, baseUrl, keys = [], models = {} }: ProviderEntry): string[] => [
  name ?? kind ?? 'defined',
  keys.map((key) => ('env' in key ? `${key.label}=${key.env}` : key.label)).join(', ') || 'no key',
  baseUrl ?? 'at its usual address',
  ...(Object.keys(models).length > 0 ? [`models ${Object.keys(models).join(' ')}`] : []),
];

/** Lists the servers that answer on this machine. */
async function discoverServers(): Promise<Output> {
  const servers = await findLocalServers({ fetch });
  const nothing = 'No server answered on the usual ports of 127.0.0.1 (11434, 1234, 8080, 8000).';
  return {
    lines: servers.length === 0 ? [nothing] : servers.map(serverLine),
    json: servers,
  };
}

/** Returns the variable that makes `serve` use the server, ready to be copied. */
function serverLine({ id, name, baseUrl, models }: FoundServer): string {
  const variable = knownProviders.find((known) => known.id === id)?.env.baseUrl ?? '';
  return [name, `${variable}=${baseUrl}`, `${models.length} models`, models.slice(0, 5).join(' ')].join('\t');
}

/** Defines a provider, or replaces its definition. */
async function addProvider(
  operator: Administrator,
  id: string,
  options: OptionTexts<'url' | 'kind' | 'name' | 'keys' | 'headers' | 'models' | 'apiVersion'>,
): Promise<Output> {
  const { url, kind, name, apiVersion } = options;
  const entry = withoutNothing({
    baseUrl: url,
    kind,
    name,
    api_version: apiVersion,
    keys: options.keys === undefined ? undefined : getPairs('keys', options.keys).map(getKey),
    headers:
      options.headers === undefined
        ? undefined
        : Object.fromEntries(
            getPairs('headers', options.headers).map(([header, place]) => [header, getPlace('headers', place)]),
          ),
    models: options.models === undefined ? undefined : getModels(options.models),
  });
  await operator.defineProvider(id, entry as GivenProvider);
  return {
    lines: ['Added. Running gateways know within a quarter of a minute, unless their configuration file names it:', id],
    json: { id, defined: entry },
  };
}

const withoutNothing = (entry: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));

const splitList = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function getPairs(option: string, text: string): [name: string, value: string][] {
  return splitList(text).map((pair) => {
    const index = pair.indexOf('=');
    if (index > 0) return [pair.slice(0, index).trim(), pair.slice(index + 1).trim()];
    throw new AppError('invalid_input', `--${option}: "${pair}" needs a name and a "=", such as team=env:TEAM_KEY.`);
  });
}

const getKey = ([label, place]: [string, string]) => ({ label, ...getPlace('keys', place) });

/**
 * Parses `env:VARIABLE` or `file:/path`. The secret itself isn't accepted, because other users of the machine can read command
 * lines.
 */
function getPlace(option: string, text: string): { env: string } | { file: string } {
  const [, kind, value = ''] = /^(env|file):(.+)$/.exec(text) ?? [];
  if (kind === 'env') return { env: value };
  if (kind === 'file') return { file: value };
  throw new AppError('invalid_input', `--${option}: say where it is, as env:VARIABLE or file:/path, never what it is.`);
}

/** Parses `deployment=openai/gpt-5.4-mini`, or a model's name alone. */
const getModels = (text: string) =>
  Object.fromEntries(
    splitList(text).map((part) => {
      const [model = '', sameAs] = part.split('=');
      return [model, sameAs === undefined ? {} : { same_as: sameAs }];
    }),
  );

interface Tested {
  readonly key: string | null;
  readonly ends: string | null;
  readonly works: boolean;
  readonly message: string | null;
}

/** Tests a provider with each of its keys, by a call that costs nothing. The exit code is 1 when one of them doesn't work. */
async function testProvider(
  id: string,
  { config }: OptionTexts<'config'>,
  { database }: GatewayCommand,
): Promise<Output> {
  const found = await getCredential(id, config, database);
  if (!found) throw new AppError('not_found', `The provider "${id}" has no key and no address here.`);
  const { keys, ...credential } = found;
  const tested: Tested[] = [];
  for (const key of keys ?? [null]) tested.push(await testKey(id, credential, key));
  return {
    lines: tested.map(({ key, ends, works, message }) =>
      [key ?? id, ends === null ? 'no key' : `…${ends}`, works ? 'works' : message].join('\t'),
    ),
    json: tested,
    failed: tested.some(({ works }) => !works),
  };
}

/** Returns the credential that `serve` would use: from the file, then from a definition by command, then from the environment. */
async function getCredential(id: string, config: string | undefined, database: string) {
  const { providers, inFile } = loadConfig(config, process.env);
  if (inFile.includes(id)) return providers[id];
  const entry = (await getDefined(database))?.get(id);
  return entry ? credentialFrom(id, entry, process.env) : providers[id];
}

const getDefined = (database: string) => onDatabaseIfAny(database, (operator) => operator.definedProviders());

const testMs = 15_000;

async function testKey(id: string, credential: ProviderCredential, key: ProviderKey | null): Promise<Tested> {
  const fetchUpstream = platformFetch(fetch);
  const registry = createRegistry({ fetch: fetchUpstream, sandbox: false, sandboxPace: 1, log: () => {} });
  const provider = registry.providerFor(id, credential);
  const used = key ? { ...credential, apiKey: key.secret } : credential;
  const context = { credential: used, fetch: fetchUpstream, signal: AbortSignal.timeout(testMs) };
  const base = { key: key?.label ?? null, ends: key ? getEnds(key.secret) : null };
  try {
    if (provider) await checkCredential(provider, context);
    return { ...base, works: true, message: null };
  } catch (error) {
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    const message = timedOut ? `${id} did not answer in time.` : toAppError(error).message;
    return { ...base, works: false, message };
  }
}
