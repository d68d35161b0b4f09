import { AppError } from '#shared/errors.ts';
import { parseUsd } from '#shared/money.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import { requireActive, requireFeature } from '../access/auth/authorize.ts';
import type { Catalogue, CatalogueModel } from '../models/catalogue/catalogue.ts';
import { pricedFor } from '../models/catalogue/service-tiers.ts';
import type { Provider, ProviderCredential } from '../providers/provider.ts';
import { hostedBaseUrl, type Registry } from '../providers/registry.ts';
import type { ChatRequest } from './answer.ts';
import { choose } from './routing/choose.ts';
import {
  type Candidate,
  conditionExclusions,
  type Features,
  neededModalities,
  type Rules,
} from './routing/eligibility.ts';
import type { Health } from './routing/health.ts';
import { conversationKey, type Decision, planAllows, type Resolved, resolve, type Sticky } from './routing/resolve.ts';

/** One model to ask, with the credential for it. */
export interface Target {
  readonly model: CatalogueModel;
  readonly provider: Provider;
  readonly credential: ProviderCredential;
}

/** How an admitted request may run: on these targets, in this order. */
export interface RoutePlan {
  readonly decision: Decision;
  /** Never empty. */
  readonly targets: readonly [Target, ...Target[]];
  readonly features: Features;
  readonly warnings: readonly Warning[];
  readonly conversation: string;
}

export interface AdmissionDeps {
  readonly registry: Registry;
  readonly catalogue: () => Catalogue;
  readonly health: Health;
  readonly sticky: Sticky;
  readonly now: () => number;
  readonly vendor: string;
}

/** Decides whether a request may run and on which models. Throws errors that the caller can do something about. Makes no calls. */
export function admit(request: ChatRequest, deps: AdmissionDeps): RoutePlan {
  checkAccount(request);
  const { models, embeddings, priced } = deps.catalogue();
  const { registry } = deps;
  const configured = (id: string) => Boolean(registry.get(id)?.credential);
  const resolved = resolve({
    provider: request.provider,
    model: request.model,
    models,
    otherEndpoint: {
      models: embeddings,
      sentence: 'makes embeddings and does not chat: use it at POST /v1/embeddings.',
    },
    providers: registry.ids,
    configured,
    unlisted(provider, name) {
      const found = registry.unlisted(provider, name);
      return found && (request.byoKey || configured(found.provider)) ? priced(found) : null;
    },
    vendor: deps.vendor,
  });
  checkByoKey(request, resolved);
  const { features, opening } = request.facts;
  const conversation = conversationKey(request.principal.accountId, request.sessionId, opening);
  const common = { features, conversation, warnings: resolved.warnings };
  if (resolved.kind === 'direct') {
    const target = asPriced(directTarget(request, resolved.model, features, deps), request);
    // The caller's own key gets a second attempt on the same model; no other key is ever used for it (§6).
    return {
      ...common,
      warnings: [...common.warnings, ...lifecycleWarnings(resolved.model)],
      decision: { kind: 'direct' },
      targets: request.byoKey ? [target, target] : [target],
    };
  }
  return { ...common, ...routed(request, resolved.provider, features, conversation, deps) };
}

/** Returns the target with the price of the service tier and region that the request asks for. */
function asPriced(target: Target, { openaiOnly }: ChatRequest): Target {
  const { service_tier: tier } = openaiOnly;
  const model = pricedFor(target.model, typeof tier === 'string' ? tier : undefined, target.credential.baseUrl);
  return model === target.model ? target : { ...target, model };
}

/** Whose request it is, and whose key it runs on. */
type Caller = Pick<ChatRequest, 'principal' | 'byoKey'>;

export function checkAccount({ principal }: Pick<ChatRequest, 'principal'>): void {
  requireActive(principal);
  requireFeature(principal, 'chat');
}

export function checkByoKey({ byoKey, principal }: Caller, resolved: Resolved): void {
  if (!byoKey) return;
  requireFeature(principal, 'byok');
  if (resolved.kind === 'router' && resolved.provider === null) {
    throw new AppError(
      'byoapi_key_requires_provider',
      'With "byoapi_key", say whose key it is: set "provider" or name a model as "provider/model".',
      { param: 'byoapi_key' },
    );
  }
}

/** The key to use: the caller's own if the request has one, and then no other (wire contract §6). */
function credentialFor(request: Caller, providerId: string, registry: Registry): ProviderCredential | null {
  const platform = registry.get(providerId)?.credential ?? null;
  if (!request.byoKey) return platform;
  if (platform) return { ...platform, apiKey: request.byoKey, keys: [] };
  const baseUrl = hostedBaseUrl(providerId);
  return baseUrl === undefined ? null : { apiKey: request.byoKey, baseUrl };
}

/** The target for a model that the request names. Throws when the plan does not include it or there is no key for it. */
export function namedTarget(request: Caller, model: CatalogueModel, registry: Registry): Target {
  const { plan } = request.principal;
  if (!planAllows(plan.models, model.id)) {
    throw new AppError('model_not_in_plan', `The plan "${plan.name}" does not include ${model.id}.`, {
      param: 'model',
    });
  }
  const target = getTarget(request, model, registry);
  if (!target) throw noCredential(model);
  if (cannotCharge(request, model, registry)) throw unpriced(model);
  return target;
}

function directTarget(request: ChatRequest, model: CatalogueModel, features: Features, deps: AdmissionDeps): Target {
  const target = namedTarget(request, model, deps.registry);
  const missing = neededModalities(features).find((name) => !model.inputModalities.includes(name));
  if (missing) {
    throw new AppError('unsupported_modality', `${model.id} does not take ${missing} input.`, { param: 'messages' });
  }
  if (!features.mayLowerMaxTokens) checkMaxTokens(request, model);
  const conditions = { controls: request.route, maxCost: getMaxCost(request) };
  const excluded = conditionExclusions(model, features, conditions);
  if (excluded.length) throw nothingEligible([{ id: model.id, excluded }]);
  return target;
}

/** The warning for a named model whose vendor has announced its end. */
export function lifecycleWarnings({ id, shutdownDate, successor }: CatalogueModel): Warning[] {
  if (shutdownDate === null) return [];
  const instead = successor === null ? '' : ` Its vendor names ${successor} in its place.`;
  return [{ code: 'model_deprecated', param: 'model', message: `${id} ends on ${shutdownDate}.${instead}` }];
}

const getMaxCost = ({ route }: ChatRequest) => (route.max_cost_usd === undefined ? null : parseUsd(route.max_cost_usd));

function getTarget(request: Caller, model: CatalogueModel, registry: Registry): Target | null {
  const registered = registry.get(model.provider);
  const credential = credentialFor(request, model.provider, registry);
  return registered && credential ? { model, provider: registered.provider, credential } : null;
}

function noCredential(model: CatalogueModel): AppError {
  return new AppError(
    'no_eligible_model',
    `This gateway has no key for ${model.provider}, so ${model.id} cannot be used. Add one, or send "byoapi_key".`,
    { param: 'model', details: { excluded: [{ id: model.id, excluded: ['no_credential'] }] } },
  );
}

/** Prepaid answers need a known price to charge by; with the caller's own key the vendor charges (docs/decisions/105). */
const cannotCharge = ({ byoKey, principal }: Caller, model: CatalogueModel, registry: Registry): boolean =>
  byoKey === null && principal.plan.billing === 'prepaid' && registry.lacksPrice(model);

function unpriced({ id, unverified }: CatalogueModel): AppError {
  if (unverified) {
    const message = `There is no model "${id}" that this gateway knows the price of. GET /models lists the ones there are.`;
    return new AppError('model_not_found', message, { param: 'model' });
  }
  return new AppError(
    'no_eligible_model',
    `No price of ${id} is known, so this gateway cannot charge for it. Its operator can set one ("gateway prices set"), or send "byoapi_key".`,
    { param: 'model', details: { excluded: [{ id, excluded: ['price_unknown'] }] } },
  );
}

function checkMaxTokens({ maxTokens, principal }: ChatRequest, model: CatalogueModel): void {
  const cap = Math.min(model.maxOutputTokens ?? Infinity, principal.plan.maxOutputTokens ?? Infinity);
  if ((maxTokens ?? 0) > cap) {
    throw new AppError('max_tokens_too_large', `At most ${cap} output tokens can be asked of ${model.id} here.`, {
      param: 'max_tokens',
    });
  }
}

function routed(
  request: ChatRequest,
  provider: string | null,
  features: Features,
  conversation: string,
  deps: AdmissionDeps,
): Pick<RoutePlan, 'decision' | 'targets'> {
  requireFeature(request.principal, 'router');
  const { models } = deps.catalogue();
  const remembered = request.facts.hasHistory ? deps.sticky.recall(conversation) : null;
  const candidates = models.map((model) => toCandidate(request, model, remembered, deps));
  const choice = choose(candidates, features, rulesFor(request, provider, candidates, deps));
  const [first, ...rest] = choice.chain.flatMap(
    ({ candidate }) => getTarget(request, candidate.model, deps.registry) ?? [],
  );
  if (!first) throw nothingEligible(choice.candidates);
  return {
    decision: { kind: 'router', choice },
    targets: [asPriced(first, request), ...rest.map((target) => asPriced(target, request))],
  };
}

function toCandidate(
  request: ChatRequest,
  model: CatalogueModel,
  remembered: string | null,
  { registry, health }: AdmissionDeps,
): Candidate {
  return {
    model,
    hasCredential: Boolean(registry.get(model.provider) && credentialFor(request, model.provider, registry)),
    lacksPrice: cannotCharge(request, model, registry),
    health: health.of(model.id, request.principal.accountId),
    sticky: remembered === model.id,
  };
}

function rulesFor(
  request: ChatRequest,
  provider: string | null,
  candidates: readonly Candidate[],
  deps: AdmissionDeps,
): Rules {
  const { plan } = request.principal;
  const realIsPossible = candidates.some(
    ({ model, hasCredential }) => !model.simulated && hasCredential && planAllows(plan.models, model.id),
  );
  return {
    controls: request.route,
    plan,
    provider,
    maxCost: getMaxCost(request),
    allowSimulated: provider === 'sandbox' || !realIsPossible,
    stickyFirst: request.facts.endsWithTool,
    today: new Date(deps.now()).toISOString().slice(0, 10),
  };
}

const healthReasons = new Set(['circuit_open', 'cooling_down']);

/** 503 when waiting would help, 404 when only another request or plan would (§5.3.8). */
function nothingEligible(candidates: readonly { id: string; excluded?: readonly string[] }[]): AppError {
  const excluded = candidates.map((candidate) => ({ id: candidate.id, excluded: candidate.excluded ?? [] }));
  const waiting = excluded.some(
    (entry) => entry.excluded.length > 0 && entry.excluded.every((x) => healthReasons.has(x)),
  );
  if (waiting) {
    return new AppError('no_provider_available', 'Every model that could answer this is failing at the moment.', {
      details: { excluded },
      retryAfterMs: 10_000,
    });
  }
  return new AppError(
    'no_eligible_model',
    'No model of this gateway can answer this request; details.excluded says why for each one.',
    { details: { excluded } },
  );
}
