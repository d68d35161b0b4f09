import { Secret } from '#gateway/access/auth/secret.ts';
import { isKnownModel } from '#gateway/models/catalogue/build-catalogue.ts';
import { headerFault } from '#gateway/providers/provider-guards.ts';
import type { SavedServer, ServerModel } from '#shared/contract/app/providers.ts';
import { refusal } from '#shared/language/refusals.ts';
import { isServerId } from '#shared/server-kinds.ts';
import { getHint } from '../../storage/secrets/secret-box.ts';
import { parseBaseUrl } from '../connection/base-url.ts';
import { type Entry, nothingFurther, offeredServer } from './provider-entry.ts';
import type { OfferedProvider } from './provider-list.ts';
import { noSettings, type ProviderSettings } from './provider-settings.ts';

export interface SetKey {
  readonly id: string;
  readonly key?: string | null | undefined;
  readonly baseUrl?: string | null | undefined;
}

const forParam = (param: string) => ({ details: { param } });

export const getOrigin = (text: string) => (URL.canParse(text) ? new URL(text).origin : null);

/**
 * Builds the provider as the user entered it. A key is bound to its address: another origin needs the key again, so
 * that nobody can redirect a stored key.
 */
export function wantedEntry(input: SetKey, known: OfferedProvider, before: Entry | undefined): Entry {
  const address = input.baseUrl ?? before?.baseUrl ?? known.baseUrl;
  if (!address) throw refusal('invalid_input', 'serverAddressNeeded', forParam('baseUrl'));
  const sameOrigin = before !== undefined && getOrigin(before.baseUrl) === getOrigin(address);
  if (before && !sameOrigin && (before.further.size > 0 || before.headers.size > 0)) {
    throw refusal('invalid_input', 'boundToAddress', forParam('baseUrl'));
  }
  const secret = input.key ? new Secret(input.key) : sameOrigin ? before.secret : null;
  const { further, headers } = before ?? nothingFurther;
  const withKey = secret !== null || further.size > 0 || headers.size > 0;
  const baseUrl = parseBaseUrl(address, { withKey, ownServer: known.ownServer });
  if (!secret && !known.ownServer) {
    throw refusal('invalid_input', before?.secret ? 'keyAgain' : 'keyNeeded', forParam('key'));
  }
  const keyHint = secret ? getHint(secret) : null;
  return {
    id: input.id,
    baseUrl,
    secret,
    keyHint,
    storage: null,
    state: 'unchecked',
    problem: null,
    checkedAt: null,
    settings: before?.settings ?? noSettings,
    further,
    headers,
  };
}

/**
 * Builds the user’s own server as entered. `today` is `YYYY-MM-DD` in UTC, and becomes the date of new or changed
 * prices.
 */
export function wantedServer(input: SavedServer, id: string, before: Entry | undefined, today: string): Entry {
  const { name, kind, apiVersion, baseUrl, key, models } = input;
  checkModels(models);
  if (kind === 'azure-openai' && models.length === 0)
    throw refusal('invalid_input', 'deploymentsNeeded', forParam('models'));
  if (apiVersion !== null && kind !== 'azure-openai')
    throw refusal('invalid_input', 'azureOnly', forParam('apiVersion'));
  const settings: ProviderSettings = {
    ...(before?.settings ?? noSettings),
    server: { name, kind, apiVersion },
    models: models.map((model) => dated(model, before?.settings.models ?? [], today)),
    timeoutSeconds: input.timeoutSeconds ?? null,
    headerNames: input.headers.map(({ name: header }) => header.toLowerCase()),
  };
  const headers = wantedHeaders(input, before);
  const known = offeredServer(id, settings);
  if (!known) throw new Error('a server has settings of a server');
  const bare = before && { ...before, headers };
  return withHeadersChecked({ ...wantedEntry({ id, key, baseUrl }, known, bare), settings, headers }, known);
}

/** Returns the models that the user named, with the date of their prices. `before` are the models named until now. */
export function namedModels(
  models: readonly ServerModel[],
  before: readonly ServerModel[],
  today: string,
): ServerModel[] {
  checkModels(models);
  return models.map((model) => dated(model, before, today));
}

function checkModels(models: readonly ServerModel[]): void {
  for (const { model, sameAs, input: price, output, cached } of models) {
    if (sameAs !== null && !isKnownModel(sameAs))
      throw refusal('invalid_input', 'unknownModel', { model: sameAs }, forParam('models'));
    if ((price === null) !== (output === null) || (cached !== null && price === null))
      throw refusal('invalid_input', 'bothPrices', { model }, forParam('models'));
  }
}

function dated(model: ServerModel, before: readonly ServerModel[], today: string): ServerModel {
  if (model.input === null) return { ...model, pricedOn: null };
  const known = before.find((candidate) => candidate.model === model.model);
  const isSame = known?.input === model.input && known.output === model.output && known.cached === model.cached;
  return { ...model, pricedOn: isSame ? known.pricedOn : today };
}

function withHeadersChecked(entry: Entry, { ownServer }: OfferedProvider): Entry {
  if (entry.headers.size > 0) parseBaseUrl(entry.baseUrl, { withKey: true, ownServer });
  return entry;
}

/** Returns the header values as entered. An empty value keeps the stored one, but only at the same address. */
function wantedHeaders({ headers, baseUrl }: SavedServer, before: Entry | undefined): Map<string, Secret> {
  const stored =
    before && getOrigin(before.baseUrl) === getOrigin(baseUrl) ? before.headers : new Map<string, Secret>();
  return new Map(
    headers.map(({ name, value }) => {
      const header = name.toLowerCase();
      const secret = value === '' ? stored.get(header) : new Secret(value);
      if (!secret) throw refusal('invalid_input', 'headerValueNeeded', { name }, forParam('headers'));
      const fault = headerFault(header, secret.reveal());
      if (fault) throw refusal('invalid_input', 'headerFault', { name, fault }, forParam('headers'));
      return [header, secret];
    }),
  );
}

/** Derives the server’s id from its name. It becomes the part before the slash in the ids of its models. */
export function serverIdFor(name: string, isTaken: (id: string) => boolean): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 24);
  const base = isServerId(plain) ? plain : `server${plain ? `-${plain}` : ''}`;
  for (let count = 1; ; count += 1) {
    const id = count === 1 ? base : `${base}-${count}`;
    if (isServerId(id) && !isTaken(id)) return id;
  }
}
