import { crc32 } from 'node:zlib';
import { AppError } from '#shared/errors.ts';
import { withoutContextMark, withoutSnapshot } from '#shared/model-names.ts';
import type { ChatMessage } from '#shared/wire/chat-request.ts';
import type { Routing, Warning } from '#shared/wire/chat-response.ts';
import type { CatalogueModel } from '../../models/catalogue/catalogue.ts';
import { messageText } from '../../providers/content/conversation-shape.ts';
import type { Choice } from './choose.ts';

interface ResolveInput {
  readonly provider: string | null;
  readonly model: string | null;
  readonly models: readonly CatalogueModel[];
  /** Models that are known but served by another endpoint, and the sentence that names it. */
  readonly otherEndpoint?: { readonly models: readonly CatalogueModel[]; readonly sentence: string };
  /** Ids that may be named as `provider`, in order of priority. */
  readonly providers: readonly string[];
  readonly configured: (provider: string) => boolean;
  /** Finds a model that is on no list, of a vendor that may be asked for it. */
  readonly unlisted?: (provider: string | null, model: string) => CatalogueModel | null;
  /** The word before `/router` in the pseudo-model's long name. */
  readonly vendor: string;
}

export type Resolved =
  | { readonly kind: 'direct'; readonly model: CatalogueModel; readonly warnings: readonly Warning[] }
  | { readonly kind: 'router'; readonly provider: string | null; readonly warnings: readonly Warning[] };

/** Finds the model or router that `provider` and `model` name. Handles every combination, in the contract's order (§1.1). */
export function resolve(input: ResolveInput): Resolved {
  const { provider, providers } = input;
  const model = input.model === null ? null : unescaped(input.model);
  if (provider === 'router') return toRouter(model, input.vendor);
  if (provider !== null && !providers.includes(provider)) {
    const values = ['router', ...providers].map((id) => `"${id}"`).join(', ');
    throw new AppError('invalid_provider', `There is no provider "${provider}". Use one of ${values}.`, {
      param: 'provider',
    });
  }
  if (model === null || isRouterName(model, input.vendor)) return { kind: 'router', provider, warnings: [] };
  const found = named(provider, model, input) ?? undated(provider, model, input) ?? unlisted(provider, model, input);
  if (found) return found;
  throw servedElsewhere(provider, model, input) ?? notFound(model);
}

function servedElsewhere(
  provider: string | null,
  model: string,
  { otherEndpoint, ...input }: ResolveInput,
): AppError | null {
  const found = otherEndpoint && named(provider, model, { ...input, models: otherEndpoint.models });
  if (found?.kind !== 'direct') return null;
  return new AppError('unsupported_value', `${found.model.id} ${otherEndpoint?.sentence}`, { param: 'model' });
}

const named = (provider: string | null, model: string, input: ResolveInput): Resolved | null =>
  provider === null ? withoutProvider(model, input) : withProvider(provider, model, input);

/** Finds the model for the name of one of its snapshots that the catalogue does not list: clients have such names built in. */
function undated(provider: string | null, model: string, input: ResolveInput): Resolved | null {
  const shorter = [withoutContextMark(model), withoutSnapshot(model)].filter((name) => name !== model);
  const found = shorter.map((name) => named(provider, name, input)).find((resolved) => resolved !== null);
  if (found?.kind !== 'direct') return null;
  const message = `"${model.slice(0, 256)}" is not listed; ${found.model.id} was used.`;
  return { ...found, warnings: [...found.warnings, { code: 'model_undated', param: 'model', message }] };
}

/** Finds a model that is newer than every list: its vendor is asked, and reports whether there is one. */
function unlisted(provider: string | null, model: string, input: ResolveInput): Resolved | null {
  const inFront = namedProvider(model, input.providers);
  const name = inFront === null ? model : model.slice(inFront.length + 1);
  const found = input.unlisted?.(inFront ?? provider, withoutContextMark(name)) ?? null;
  return found && direct(found);
}

const isRouterName = (model: string, vendor: string) => ['router', 'auto', `${vendor}/router`].includes(model);

/** Some clients encode the slash of `provider/model`. */
const unescaped = (model: string) => model.replace(/%2f/gi, '/');

function toRouter(model: string | null, vendor: string): Resolved {
  const ignored = model !== null && !isRouterName(model, vendor);
  const message = 'The router chooses the model; the one that was named is ignored.';
  const warnings = ignored ? [{ code: 'model_ignored', param: 'model', message }] : [];
  return { kind: 'router', provider: null, warnings };
}

function withProvider(provider: string, model: string, input: ResolveInput): Resolved | null {
  const alias = byAlias(model, input.models);
  if (alias?.provider === provider) return direct(alias);
  const exact = input.models.find(
    (entry) => entry.provider === provider && (entry.id === model || entry.model === model),
  );
  if (exact) return direct(exact);
  const other = namedProvider(model, input.providers);
  if (other !== null && other !== provider) {
    throw new AppError(
      'provider_model_mismatch',
      `The model "${model}" is not one of provider "${provider}". Leave out "provider", or name the model of that provider.`,
      { param: 'model' },
    );
  }
  return null;
}

function withoutProvider(model: string, input: ResolveInput): Resolved | null {
  const exact = byAlias(model, input.models) ?? getNames(input.models).ids.get(model);
  if (exact) return direct(exact);
  // "anthropic/…" names Anthropic, even when a reseller gives its copy of the model this name.
  if (namedProvider(model, input.providers) !== null) return null;
  const same = input.models.filter((entry) => entry.model === model);
  const [only] = same;
  if (!only) return null;
  if (same.length === 1) return direct(only);
  const chosen = same.toSorted((a, b) => rank(a, input) - rank(b, input))[0] ?? only;
  const message = `Several providers have "${model}"; ${chosen.id} was used. Name the provider to decide yourself.`;
  return direct(chosen, [{ code: 'model_ambiguous', param: 'model', message }]);
}

/** Configured providers first, each group in the registry's order. */
function rank(model: CatalogueModel, { providers, configured }: ResolveInput): number {
  const index = providers.indexOf(model.provider);
  return (configured(model.provider) ? 0 : providers.length + 1) + (index < 0 ? providers.length : index);
}

const direct = (model: CatalogueModel, warnings: readonly Warning[] = []): Resolved => ({
  kind: 'direct',
  model,
  warnings,
});

const byAlias = (model: string, models: readonly CatalogueModel[]) => getNames(models).aliases.get(model);

interface Names {
  readonly aliases: ReadonlyMap<string, CatalogueModel>;
  readonly ids: ReadonlyMap<string, CatalogueModel>;
}

const known = new WeakMap<readonly CatalogueModel[], Names>();

/** Models by their names, built once for each catalogue. Of two models with one name the first is used. */
function getNames(models: readonly CatalogueModel[]): Names {
  const found = known.get(models);
  if (found) return found;
  const last = models.toReversed();
  const names = {
    aliases: new Map(last.flatMap((entry) => entry.aliases.map((alias) => [alias, entry] as const))),
    ids: new Map(last.map((entry) => [entry.id, entry])),
  };
  known.set(models, names);
  return names;
}

/** The provider in front of a slash, if there is one: some providers' own names contain slashes. */
function namedProvider(model: string, providers: readonly string[]): string | null {
  const head = model.split('/', 1)[0] ?? '';
  return model.includes('/') && providers.includes(head) ? head : null;
}

function notFound(model: string): AppError {
  return new AppError(
    'model_not_found',
    `There is no model "${model.slice(0, 256)}". GET /models lists the ones there are.`,
    {
      param: 'model',
    },
  );
}

/** Why a model was asked: the router's choice, or the caller's own. */
export type Decision = { readonly kind: 'direct' } | { readonly kind: 'router'; readonly choice: Choice };

export type AttemptRecord = Routing['attempts'][number];

interface ExplainInput {
  readonly decision: Decision;
  readonly model: CatalogueModel;
  readonly attempts: readonly AttemptRecord[];
  readonly catalogueVersion: string;
  readonly full: boolean;
}

/** The `routing` object of an answer (wire contract §5.6). */
export function explain(input: ExplainInput): Routing {
  const { decision, model } = input;
  const common = {
    selected: model.id,
    upstream_model: model.model,
    attempts: [...input.attempts],
    catalog_version: input.catalogueVersion,
  };
  if (decision.kind === 'direct') return { policy: 'direct', reason: 'the request names this model', ...common };
  const { choice } = decision;
  return {
    policy: choice.policy,
    reason: reasonFor(choice, model),
    ...common,
    complexity: choice.complexity,
    relaxed: choice.relaxed,
    ...(input.full ? { candidates: choice.candidates.map((candidate) => ({ ...candidate })) } : {}),
  };
}

function reasonFor(choice: Choice, model: CatalogueModel): string {
  const place = choice.chain.findIndex((entry) => entry.candidate.model.id === model.id);
  const score = choice.chain[place]?.score ?? 0;
  const of = `of ${choice.eligible} eligible`;
  return place === 0 ? `best score ${score} ${of}` : `fallback ${place} with score ${score} ${of}`;
}

/** One line for the header `x-portico-route`. */
export function routeSummary(decision: Decision, model: CatalogueModel): string {
  if (decision.kind === 'direct') return 'policy=direct';
  const { choice } = decision;
  const score = choice.chain.find((entry) => entry.candidate.model.id === model.id)?.score ?? 0;
  return `policy=${choice.policy};tier=${choice.complexity.tier};score=${score};eligible=${choice.eligible}/${choice.candidates.length}`;
}

/** Matches an id against a pattern in which `*` stands for anything. Linear: no pattern can make it slow. */
export function matchesGlob(pattern: string, id: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  if (!rest.length) return pattern === id;
  if (!id.startsWith(head)) return false;
  const tail = rest.pop() ?? '';
  let offset = head.length;
  for (const piece of rest) {
    const found = id.indexOf(piece, offset);
    if (found < 0) return false;
    offset = found + piece.length;
  }
  return id.length - tail.length >= offset && id.endsWith(tail);
}

/** Whether a plan's list of models (`*` allowed, a leading `!` excludes) lets a model through. */
export function planAllows(patterns: readonly string[], id: string): boolean {
  const excluded = patterns.some((pattern) => pattern.startsWith('!') && matchesGlob(pattern.slice(1), id));
  return !excluded && patterns.some((pattern) => !pattern.startsWith('!') && matchesGlob(pattern, id));
}

/** Remembers for ten minutes which model answered a conversation (wire contract §5.5). Losing it costs stickiness only. */
export interface Sticky {
  recall(key: string): string | null;
  remember(key: string, modelId: string): void;
}

const keptMs = 600_000;
const maxEntries = 10_000;

export function createSticky(now: () => number): Sticky {
  const entries = new Map<string, { modelId: string; until: number }>();
  return {
    recall(key) {
      const entry = entries.get(key);
      return entry && entry.until > now() ? entry.modelId : null;
    },
    remember(key, modelId) {
      // With fewer entries none is forgotten soon, so their order does not matter.
      if (entries.size > maxEntries / 2) entries.delete(key);
      entries.set(key, { modelId, until: now() + keptMs });
      if (entries.size <= maxEntries) return;
      const [oldest] = entries.keys();
      if (oldest !== undefined) entries.delete(oldest);
    },
  };
}

/** How a conversation begins: its first instruction and its first question, which distinguish it from others. */
export const getOpening = (messages: readonly ChatMessage[]): readonly string[] =>
  [
    messages.find((message) => message.role === 'system' || message.role === 'developer'),
    messages.find((message) => message.role === 'user'),
  ].flatMap((message) => brief(message ? messageText(message) : ''));

/**
 * Names a conversation within its account: by its session, else by how it began. The name reveals nothing. Two conversations with the same
 * name by accident share only a remembered model, and never those of two accounts.
 */
export function conversationKey(accountId: string, sessionId: string | null, opening: readonly string[]): string {
  const texts = sessionId === null ? opening : [sessionId];
  let key = sessionId === null ? `${accountId} opening` : `${accountId} session`;
  for (const text of texts) key += text === '' ? ' 0/0' : ` ${crc32(text)}/${text.length}`;
  return key;
}

const shownChars = 2_048;

/** A long text by its length, its beginning and its end: hashing all of it would cost more than the rest of routing. */
const brief = (text: string): string[] =>
  text.length <= 2 * shownChars ? [text] : [String(text.length), text.slice(0, shownChars), text.slice(-shownChars)];
