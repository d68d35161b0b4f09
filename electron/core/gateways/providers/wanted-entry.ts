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

const of = (param: string) => ({ details: { param } });

export const getOrigin = (text: string) => (URL.canParse(text) ? new URL(text).origin : null);

/**
 * The provider as the user entered it. A key is bound to its address: another origin needs the key again, so that
 * nobody can have a stored key sent elsewhere.
 */
export function wantedEntry(input: SetKey, known: OfferedProvider, before: Entry | undefined): Entry {
  const address = input.baseUrl ?? before?.baseUrl ?? known.baseUrl;
  if (!address) throw refusal('invalid_input', 'serverAddressNeeded', of('baseUrl'));
  const sameOrigin = before !== undefined && getOrigin(before.baseUrl) === getOrigin(address);
  if (before && !sameOrigin && (before.further.size > 0 || before.headers.size > 0)) {
    throw refusal('invalid_input', 'boundToAddress', of('baseUrl'));
  }
  const secret = input.key ? new Secret(input.key) : sameOrigin ? before.secret : null;
  const { further, headers } = before ?? nothingFurther;
  const withKey = secret !== null || further.size > 0 || headers.size > 0;
  const baseUrl = parseBaseUrl(address, { withKey, ownServer: known.ownServer });
  if (!secret && !known.ownServer) {
    throw refusal('invalid_input', before?.secret ? 'keyAgain' : 'keyNeeded', of('key'));
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

/** The user’s own server as entered. `today`: `YYYY-MM-DD`, UTC; prices that are new or changed are of that day. */
export function wantedServer(input: SavedServer, id: string, before: Entry | undefined, today: string): Entry {
  const { name, kind, apiVersion, baseUrl, key, models } = input;
  checkModels(models);
  if (kind === 'azure-openai' && models.length === 0) throw refusal('invalid_input', 'deploymentsNeeded', of('models'));
  if (apiVersion !== null && kind !== 'azure-openai') throw refusal('invalid_input', 'azureOnly', of('apiVersion'));
  const settings: ProviderSettings = {
    ...(before?.settings ?? noSettings),
    server: { name, kind, apiVersion },
    models: models.map((model) => dated(model, before?.settings.models ?? [], today)),
    headerNames: input.headers.map(({ name: header }) => header.toLowerCase()),
  };
  const headers = wantedHeaders(input, before);
  const known = offeredServer(id, settings);
  if (!known) throw new Error('a server has settings of a server');
  const bare = before && { ...before, headers };
  return withHeadersChecked({ ...wantedEntry({ id, key, baseUrl }, known, bare), settings, headers }, known);
}

/** Models that the user names, with the day of their prices. `before`: those that were named until now. */
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
      throw refusal('invalid_input', 'unknownModel', { model: sameAs }, of('models'));
    if ((price === null) !== (output === null) || (cached !== null && price === null))
      throw refusal('invalid_input', 'bothPrices', { model }, of('models'));
  }
}

function dated(model: ServerModel, before: readonly ServerModel[], today: string): ServerModel {
  if (model.input === null) return { ...model, pricedOn: null };
  const known = before.find((each) => each.model === model.model);
  const isSame = known?.input === model.input && known.output === model.output && known.cached === model.cached;
  return { ...model, pricedOn: isSame ? known.pricedOn : today };
}

function withHeadersChecked(entry: Entry, { ownServer }: OfferedProvider): Entry {
  if (entry.headers.size > 0) parseBaseUrl(entry.baseUrl, { withKey: true, ownServer });
  return entry;
}

/** Header values as entered; an empty one keeps the stored value, for the same address only. */
function wantedHeaders({ headers, baseUrl }: SavedServer, before: Entry | undefined): Map<string, Secret> {
  const kept = before && getOrigin(before.baseUrl) === getOrigin(baseUrl) ? before.headers : new Map<string, Secret>();
  return new Map(
    headers.map(({ name, value }) => {
      const header = name.toLowerCase();
      const secret = value === '' ? kept.get(header) : new Secret(value);
      if (!secret) throw refusal('invalid_input', 'headerValueNeeded', { name }, of('headers'));
      const fault = headerFault(header, secret.reveal());
      if (fault) throw refusal('invalid_input', 'headerFault', { name, fault }, of('headers'));
      return [header, secret];
    }),
  );
}

/** The server’s id, the part before the slash in its models, derived from its name. */
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
