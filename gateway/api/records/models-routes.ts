import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { isUsdPerToken, parseUsdPerToken } from '#shared/money.ts';
import type { Model } from '#shared/wire/model.ts';
import type { Principal } from '../../access/auth/principal.ts';
import type { Health } from '../../engine/routing/health.ts';
import type { ProviderWatch, Trouble } from '../../engine/routing/provider-watch.ts';
import { planAllows, resolve } from '../../engine/routing/resolve.ts';
import type { AppEnv } from '../../http/context.ts';
import { badQuery, flag, readQuery, wholeNumber } from '../../http/query.ts';
import type { Catalogue, CatalogueModel } from '../../models/catalogue/catalogue.ts';
import { type Availability, routerRecord, toModelRecord } from '../../models/catalogue/model-record.ts';
import type { Registry } from '../../providers/registry.ts';
import { getPage, unknownCursor } from '../../storage/cursor.ts';

export interface ModelsDeps {
  readonly catalogue: () => Catalogue;
  readonly registry: Registry;
  readonly health: Health;
  readonly watch?: Pick<ProviderWatch, 'getTrouble' | 'isUnknown'>;
  readonly vendor: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const decimal = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,12})?$/, 'must be a decimal amount in USD per token')
  .refine(isUsdPerToken, 'is more than a price can be');
/** The query parameters of `GET /v1/models`. */
export const modelsQuery = z.object({
  provider: z.string().max(64).optional(),
  capability: z.array(z.string().max(256)).optional(),
  input_modality: z.string().max(64).optional(),
  min_context: wholeNumber.optional(),
  max_price: decimal.transform(parseUsdPerToken).optional(),
  q: z.string().max(256).optional(),
  sort: z
    .enum(
      ['id', 'price', '-price', 'context', '-context', 'newest'],
      'must be id, price, -price, context, -context or newest',
    )
    .default('id'),
  include_unavailable: flag.default(true),
  limit: wholeNumber.pipe(z.int().min(1, 'must be 1 to 1000').max(1000, 'must be 1 to 1000')).optional(),
  after: z.string().max(300).optional(),
  /** Anthropic's names for the cursors (https://platform.claude.com/docs/en/api/models/list, read 2026-11-27). */
  after_id: z.string().max(300).optional(),
  before_id: z.string().max(300).optional(),
});

type Query = z.output<typeof modelsQuery>;

/** Serves `GET /models`, `GET /v1/models` and `GET /v1/models/{id}` (wire contract §1.8, §1.9). */
export function modelsRoutes(deps: ModelsDeps): Hono<AppEnv> {
  const list = async (context: Context<AppEnv>) => {
    const asked = readQuery(context, modelsQuery, ['capability']);
    await deps.registry.refreshVendorLists();
    const body = listBody(recordsFor(context.get('principal'), deps), asked);
    return withETag(context, isForAnthropic(context) ? { ...body, data: body.data.map(asAnthropicModel) } : body);
  };
  return new Hono<AppEnv>()
    .get('/models', list)
    .get('/v1/models', list)
    .get('/v1/models/:id{.+}', (context) => {
      const record = findRecord(context.req.param('id'), context.get('principal'), deps);
      return withETag(context, isForAnthropic(context) ? asAnthropicModel(record) : record);
    });
}

/** Only Anthropic's clients send this header, with the version of the API that they use. */
const isForAnthropic = (context: Context<AppEnv>): boolean => context.req.header('anthropic-version') !== undefined;

/** Adds the fields that Anthropic's clients expect of a model. */
const asAnthropicModel = (record: Model) => ({
  ...record,
  type: 'model' as const,
  display_name: record.name,
  created_at: new Date(record.created * 1000).toISOString(),
});

const recordFor = (principal: Principal, deps: ModelsDeps) => (model: CatalogueModel) =>
  toModelRecord(model, availability(model, principal, deps));

/** Returns all models as this caller may use them, the router first. */
function recordsFor(principal: Principal, deps: ModelsDeps): Model[] {
  const { models, embeddings } = deps.catalogue();
  const record = recordFor(principal, deps);
  const chats = models.map(record);
  return [routerRecord(chats, deps.vendor), ...chats, ...embeddings.map(record)];
}

/** Returns whether a caller may use a model, and if not, why. */
export function availability(model: CatalogueModel, { plan }: Principal, deps: ModelsDeps): Availability {
  const { registry, health, watch } = deps;
  const { shutdownDate, successor } = model;
  if (shutdownDate !== null && shutdownDate <= new Date(deps.now()).toISOString().slice(0, 10)) {
    const instead = successor === null ? '' : ` It names ${successor} in its place.`;
    return { status: 'disabled', unavailable_reason: `${model.provider} ended it on ${shutdownDate}.${instead}` };
  }
  if (!planAllows(plan.models, model.id)) {
    return { status: 'plan_required', unavailable_reason: `The plan "${plan.name}" does not include this model.` };
  }
  if (!registry.get(model.provider)?.credential) {
    return { status: 'no_credential', unavailable_reason: `The gateway has no key for ${model.provider}.` };
  }
  if (plan.billing === 'prepaid' && registry.lacksPrice(model)) {
    const reason = 'No price of it is known, so it cannot be charged for here. The operator can set one.';
    return { status: 'disabled', unavailable_reason: reason };
  }
  const trouble = watch?.getTrouble(model.provider);
  if (trouble) return troubled[trouble](model.provider);
  if (watch?.isUnknown(model.id)) {
    return { status: 'disabled', unavailable_reason: `${model.provider} said that it does not know this model.` };
  }
  if (health.of(model.id).circuit === 'open') {
    return { status: 'degraded', unavailable_reason: 'It has been failing; it is tried again within minutes.' };
  }
  return { status: 'available', unavailable_reason: null };
}

/** A key may be refused for one model and accepted for another, so its provider is still called. */
const troubled: Readonly<Record<Trouble, (provider: string) => Availability>> = {
  key_refused: (provider) => ({
    status: 'degraded',
    unavailable_reason: `${provider} refuses the gateway's key. Its operator has been told.`,
  }),
  quota_exhausted: (provider) => ({
    status: 'disabled',
    unavailable_reason: `The gateway's account at ${provider} has no quota left. Its operator has been told.`,
  }),
};

function findRecord(id: string, principal: Principal, deps: ModelsDeps): Model {
  const { models, embeddings } = deps.catalogue();
  const resolved = resolve({
    provider: null,
    model: id,
    models: [...models, ...embeddings],
    providers: deps.registry.ids,
    configured: (provider) => Boolean(deps.registry.get(provider)?.credential),
    vendor: deps.vendor,
  });
  const record = recordFor(principal, deps);
  return resolved.kind === 'direct' ? record(resolved.model) : routerRecord(models.map(record), deps.vendor);
}

/**
 * Filters and sorts the list. The router stays first if it passes the filters. There are pages only if `limit` is
 * given.
 */
function listBody(records: readonly Model[], asked: Query) {
  const matching = records.filter((record) => matches(record, asked));
  const router = matching.filter((record) => record.kind === 'router');
  const sorted = [...router, ...matching.filter((record) => record.kind !== 'router').sort(comparisons[asked.sort])];
  return pageIn(sorted, asked);
}

function pageIn(sorted: readonly Model[], { limit, after_id, before_id, ...asked }: Query) {
  const after = asked.after ?? after_id;
  const page = { limit: limit ?? sorted.length, after, before: before_id, order: 'asc' as const };
  if (after !== undefined && before_id !== undefined) throw badQuery('before_id', 'cannot stand beside a cursor after');
  const index = sorted.findIndex((record) => record.id === (after ?? before_id));
  if (index < 0 && (after ?? before_id) !== undefined) throw unknownCursor(page);
  if (before_id === undefined) return getPage(page, sorted.slice(index + 1), (record) => record);
  return getPage(page, sorted.slice(0, index).reverse(), (record) => record);
}

function matches(record: Model, asked: Query): boolean {
  const wanted = (asked.capability ?? []).flatMap((text) => text.split(',')).filter((text) => text !== '');
  const usable = record.status === 'available' || record.status === 'degraded';
  const text = `${record.id} ${record.name}`.toLowerCase();
  return (
    (asked.provider === undefined || record.provider === asked.provider) &&
    wanted.every((capability) => record.capabilities.includes(capability)) &&
    (asked.input_modality === undefined || record.architecture.input_modalities.includes(asked.input_modality)) &&
    (asked.min_context === undefined || (record.context_length ?? 0) >= asked.min_context) &&
    (asked.max_price === undefined || (record.pricing !== null && promptPrice(record) <= asked.max_price)) &&
    (asked.q === undefined || text.includes(asked.q.toLowerCase())) &&
    (asked.include_unavailable || usable)
  );
}

const promptPrice = (record: Model): bigint => (record.pricing ? parseUsdPerToken(record.pricing.prompt) : 0n);
const byId = (a: Model, b: Model) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** Compares records by a number. Records without one come last in both directions, and equal ones are sorted by id. */
const by = (pick: (record: Model) => number | null, direction: 1 | -1) => (a: Model, b: Model) => {
  const [left, right] = [pick(a), pick(b)];
  if (left === null || right === null) return Number(left === null) - Number(right === null) || byId(a, b);
  return direction * (left - right) || byId(a, b);
};

/** A number holds pico-USD per token exactly, up to $9,000 per token. */
const price = (record: Model) => (record.pricing ? Number(promptPrice(record)) : null);
const contextLength = (record: Model) => record.context_length;

const comparisons: Record<Query['sort'], (a: Model, b: Model) => number> = {
  id: byId,
  price: by(price, 1),
  '-price': by(price, -1),
  context: by(contextLength, 1),
  '-context': by(contextLength, -1),
  newest: by((record) => record.created || null, -1),
};

/** Answers with JSON, or with 304 if the caller already has the same (RFC 9110 §13.1.2). */
export function withETag(context: Context<AppEnv>, body: object): Response {
  const text = JSON.stringify(body);
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  context.header('etag', tag);
  const known = (context.req.header('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  // This replaces what `cross-origin.ts` sets, so it names the origin as well.
  context.header('vary', 'Origin, Accept-Encoding');
  if (known.includes(tag) || known.includes('*')) return context.body(null, 304);
  context.header('content-type', 'application/json; charset=utf-8');
  const acceptsGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*(?:,|$)))/i.test(
    context.req.header('accept-encoding') ?? '',
  );
  if (!acceptsGzip || text.length < minCompressed) return context.body(text, 200);
  // The tag names the JSON, not its compressed bytes.
  context.header('etag', `W/${tag}`);
  context.header('content-encoding', 'gzip');
  return context.body(compressed(tag, text), 200);
}

/** Shorter answers fit into one or two packets. */
const minCompressed = 2_048;
const maxCompressed = 8;
const compressedByTag = new Map<string, Uint8Array<ArrayBuffer>>();

/** The list of models is the same for many callers, so it is compressed once. */
function compressed(tag: string, text: string): Uint8Array<ArrayBuffer> {
  const known = compressedByTag.get(tag);
  if (known) return known;
  const bytes = new Uint8Array(gzipSync(text));
  if (compressedByTag.size >= maxCompressed) compressedByTag.clear();
  compressedByTag.set(tag, bytes);
  return bytes;
}
