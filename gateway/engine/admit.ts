import { AppError } from '#shared/errors.ts';
import { parseUsd } from '#shared/money.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import { requireActive, requireFeature } from '../access/auth/authorize.ts';
import type { Catalogue, CatalogueModel } from '../models/catalogue/catalogue.ts';
import { pricedFor } from '../models/catalogue/service-tiers.ts';
import type { Provider, ProviderCredential } from '../providers/provider.ts';
import { hostedBaseUrl, type Registry } from '../providers/registry.ts';
import type { Question } from './answer.ts';
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

/** One model to try, with the credential to try it with. */
export interface Target {
  readonly model: CatalogueModel;
  readonly provider: Provider;
  readonly credential: ProviderCredential;
}

/** A request that may be tried: on these targets, in this order. */
export interface Admitted {
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

/** Decides whether a request may run and on which models. Throws what the caller can do something about; calls nobody. */
export function admit(question: Question, deps: AdmissionDeps): Admitted {
  checkAccount(question);
  const { models, embeddings, priced } = deps.catalogue();
  const { registry } = deps;
  const configured = (id: string) => Boolean(registry.get(id)?.credential);
  const resolved = resolve({
    provider: question.provider,
    model: question.model,
    models,
    elsewhere: { models: embeddings, sentence: 'makes embeddings and does not chat: use it at POST /v1/embeddings.' },
    providers: registry.ids,
    configured,
    unlisted(provider, name) {
      const found = registry.unlisted(provider, name);
      return found && (question.byoKey || configured(found.provider)) ? priced(found) : null;
    },
    vendor: deps.vendor,
  });
  checkByoKey(question, resolved);
  const { features, opening } = question.facts;
  const conversation = conversationKey(question.principal.accountId, question.sessionId, opening);
  const common = { features, conversation, warnings: resolved.warnings };
  if (resolved.kind === 'direct') {
    const target = asPriced(directTarget(question, resolved.model, features, deps), question);
    // The caller's own key gets a second try on the same model; nobody else's key is ever used for it (§6).
    return {
      ...common,
      warnings: [...common.warnings, ...lifecycleWarnings(resolved.model)],
      decision: { kind: 'direct' },
      targets: question.byoKey ? [target, target] : [target],
    };
  }
  return { ...common, ...routed(question, resolved.provider, features, conversation, deps) };
}

/** The same target at the price of the tier of service that is asked for, and of the region that is asked. */
function asPriced(target: Target, { openaiOnly }: Question): Target {
  const { service_tier: tier } = openaiOnly;
  const model = pricedFor(target.model, typeof tier === 'string' ? tier : undefined, target.credential.baseUrl);
  return model === target.model ? target : { ...target, model };
}

/** Whose request it is, and whose key it runs on. */
type Caller = Pick<Question, 'principal' | 'byoKey'>;

export function checkAccount({ principal }: Pick<Question, 'principal'>): void {
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

/** The key to use: the caller's own where one was sent, and then no other (wire contract §6). */
function credentialFor(question: Caller, providerId: string, registry: Registry): ProviderCredential | null {
  const platform = registry.get(providerId)?.credential ?? null;
  if (!question.byoKey) return platform;
  if (platform) return { ...platform, apiKey: question.byoKey, keys: [] };
  const baseUrl = hostedBaseUrl(providerId);
  return baseUrl === undefined ? null : { apiKey: question.byoKey, baseUrl };
}

/** A model that was named, where the plan has it and there is a key for it. */
export function namedTarget(question: Caller, model: CatalogueModel, registry: Registry): Target {
  const { plan } = question.principal;
  if (!planAllows(plan.models, model.id)) {
    throw new AppError('model_not_in_plan', `The plan "${plan.name}" does not include ${model.id}.`, {
      param: 'model',
    });
  }
  const target = getTarget(question, model, registry);
  if (!target) throw noCredential(model);
  if (cannotCharge(question, model, registry)) throw unpriced(model);
  return target;
}

function directTarget(question: Question, model: CatalogueModel, features: Features, deps: AdmissionDeps): Target {
  const target = namedTarget(question, model, deps.registry);
  const missing = neededModalities(features).find((name) => !model.inputModalities.includes(name));
  if (missing) {
    throw new AppError('unsupported_modality', `${model.id} does not take ${missing} input.`, { param: 'messages' });
  }
  checkMaxTokens(question, model);
  const conditions = { controls: question.route, maxCost: getMaxCost(question) };
  const excluded = conditionExclusions(model, features, conditions);
  if (excluded.length) throw nothingEligible([{ id: model.id, excluded }]);
  return target;
}

/** A model that was named although its vendor has said when it ends. */
export function lifecycleWarnings({ id, shutdownDate, successor }: CatalogueModel): Warning[] {
  if (shutdownDate === null) return [];
  const instead = successor === null ? '' : ` Its vendor names ${successor} in its place.`;
  return [{ code: 'model_deprecated', param: 'model', message: `${id} ends on ${shutdownDate}.${instead}` }];
}

const getMaxCost = ({ route }: Question) => (route.max_cost_usd === undefined ? null : parseUsd(route.max_cost_usd));

function getTarget(question: Caller, model: CatalogueModel, registry: Registry): Target | null {
  const registered = registry.get(model.provider);
  const credential = credentialFor(question, model.provider, registry);
  return registered && credential ? { model, provider: registered.provider, credential } : null;
}

function noCredential(model: CatalogueModel): AppError {
  return new AppError(
    'no_eligible_model',
    `This gateway has no key for ${model.provider}, so ${model.id} cannot be used. Add one, or send "byoapi_key".`,
    { param: 'model', details: { excluded: [{ id: model.id, excluded: ['no_credential'] }] } },
  );
}

/** Prepaid answers are charged by a price that is known; with a key of one's own the vendor charges (docs/decisions/105). */
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

function checkMaxTokens({ maxTokens, principal }: Question, model: CatalogueModel): void {
  const cap = Math.min(model.maxOutputTokens ?? Infinity, principal.plan.maxOutputTokens ?? Infinity);
  if ((maxTokens ?? 0) > cap) {
    throw new AppError('max_tokens_too_large', `At most ${cap} output tokens can be asked of ${model.id} here.`, {
      param: 'max_tokens',
    });
  }
}

function routed(
  question: Question,
  provider: string | null,
  features: Features,
  conversation: string,
  deps: AdmissionDeps,
): Pick<Admitted, 'decision' | 'targets'> {
  requireFeature(question.principal, 'router');
  const { models } = deps.catalogue();
  const remembered = question.facts.hasHistory ? deps.sticky.recall(conversation) : null;
  const candidates = models.map((model) => toCandidate(question, model, remembered, deps));
  const choice = choose(candidates, features, rulesFor(question, provider, candidates, deps));
  const [first, ...rest] = choice.chain.flatMap(
    ({ candidate }) => getTarget(question, candidate.model, deps.registry) ?? [],
  );
  if (!first) throw nothingEligible(choice.candidates);
  return {
    decision: { kind: 'router', choice },
    targets: [asPriced(first, question), ...rest.map((target) => asPriced(target, question))],
  };
}

function toCandidate(
  question: Question,
  model: CatalogueModel,
  remembered: string | null,
  { registry, health }: AdmissionDeps,
): Candidate {
  return {
    model,
    hasCredential: Boolean(registry.get(model.provider) && credentialFor(question, model.provider, registry)),
    lacksPrice: cannotCharge(question, model, registry),
    health: health.of(model.id, question.principal.accountId),
    sticky: remembered === model.id,
  };
}

function rulesFor(
  question: Question,
  provider: string | null,
  candidates: readonly Candidate[],
  deps: AdmissionDeps,
): Rules {
  const { plan } = question.principal;
  const realIsPossible = candidates.some(
    ({ model, hasCredential }) => !model.simulated && hasCredential && planAllows(plan.models, model.id),
  );
  return {
    controls: question.route,
    plan,
    provider,
    maxCost: getMaxCost(question),
    allowSimulated: provider === 'sandbox' || !realIsPossible,
    stickyFirst: question.facts.endsWithTool,
    today: new Date(deps.now()).toISOString().slice(0, 10),
  };
}

const healthReasons = new Set(['circuit_open', 'cooling_down']);

/** 503 where waiting would help, 404 where only another request or plan would (§5.3.8). */
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
