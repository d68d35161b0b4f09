import { AppError } from '#shared/errors.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import {
  type AdmissionDeps,
  checkAccount,
  checkByoKey,
  lifecycleWarnings,
  namedTarget,
  type Target,
} from '../../engine/admit.ts';
import { resolve } from '../../engine/routing/resolve.ts';
import type { CatalogueModel, EmbeddingFacts } from '../../models/catalogue/catalogue.ts';
import { unknownEmbedding } from '../../models/catalogue/facts/embedding-models.ts';
import type { InputSize } from '../../providers/content/input-size.ts';
import type { EmbeddingCall } from './read-call.ts';

/** An admitted request for embeddings, with the model to call. */
export interface AdmittedEmbeddings {
  readonly decision: { readonly kind: 'direct' };
  readonly targets: readonly [Target, ...Target[]];
  readonly facts: EmbeddingFacts;
  readonly warnings: readonly Warning[];
  readonly features: {
    readonly inputTokens: number;
    readonly inputSize: InputSize;
    readonly audio: false;
    readonly promptCache: null;
    readonly webSearch: false;
  };
}

/**
 * Maximum number of floats in an answer. More are only returned as base64, because as JSON they would take more than 40
 * MB.
 */
const maxFloats = 2_097_152;

/**
 * Decides whether a request may run, and with which model. Throws errors that the caller can act on. It calls no
 * provider.
 */
export function admitEmbeddings(call: EmbeddingCall, deps: AdmissionDeps): AdmittedEmbeddings {
  checkAccount(call);
  const { model, warnings } = getModel(call, deps);
  const target = namedTarget(call, model, deps.registry);
  if (!target.provider.embed) throw withoutEmbeddings(target.provider.id, target.provider.name);
  const facts = model.embedding ?? unknownEmbedding;
  checkInputs(call, model, facts);
  checkDimensions(call, model, facts);
  return {
    decision: { kind: 'direct' },
    // With the caller's own key the same model is tried twice, because no other key may ever be used instead (§6).
    targets: call.byoKey ? [target, target] : [target],
    facts,
    warnings: [...call.warnings, ...warnings, ...lifecycleWarnings(model), ...lengthWarnings(call, facts)],
    features: {
      inputTokens: call.extent.inputTokens,
      inputSize: { textTokens: call.extent.tokenCeiling, pictures: [], fileTokens: null, isOnePrompt: false },
      audio: false,
      promptCache: null,
      webSearch: false,
    },
  };
}

function getModel(call: EmbeddingCall, { catalogue, registry, vendor }: AdmissionDeps) {
  const { models, embeddings } = catalogue();
  const { provider, model } = call;
  // A model that only its server knows may make embeddings, whatever its name is.
  const maybe = ({ facts, simulated }: CatalogueModel) => facts === null && !simulated;
  const common = {
    provider,
    model,
    vendor,
    providers: registry.ids,
    configured: (id: string) => Boolean(registry.get(id)?.credential),
  };
  const anthropic = provider === 'anthropic' || (provider === null && model.startsWith('anthropic/'));
  if (anthropic) throw withoutEmbeddings('anthropic', 'Anthropic');
  const resolved = resolve({
    ...common,
    models: [...embeddings, ...models.filter(maybe)],
    otherEndpoint: {
      models: models.filter((entry) => !maybe(entry)),
      sentence: `chats and makes no embeddings. ${listing}`,
    },
  });
  checkByoKey(call, resolved);
  if (resolved.kind === 'direct') return resolved;
  throw new AppError(
    'unsupported_value',
    `The router chooses no model for embeddings: vectors of different models cannot be compared. Name one. ${listing}`,
    { param: 'model' },
  );
}

const listing = 'GET /v1/models?capability=embeddings lists those that do.';

/**
 * Anthropic itself recommends Voyage AI for embeddings
 * (https://platform.claude.com/docs/en/build-with-claude/embeddings, read 2026-11-22).
 */
function withoutEmbeddings(provider: string, name: string): AppError {
  const instead =
    provider === 'anthropic' ? ' Its guide names Voyage AI, which can be set as a server of its own.' : '';
  return new AppError('unsupported_value', `${name} offers no embeddings.${instead} ${listing}`, { param: 'model' });
}

/**
 * The estimate is at most about twice a tokenizer's count, so a text is only refused if half of its estimate is too
 * much.
 */
const maxOverestimate = 2;

function checkInputs({ inputs, extent }: EmbeddingCall, { id }: CatalogueModel, facts: EmbeddingFacts): void {
  const { kind, inputTokens, longest } = extent;
  if (kind === 'tokens' && !facts.takesTokens) throw refused('input', `${id} takes texts, not tokens`);
  if (facts.inputs !== null && inputs.length > facts.inputs) {
    throw refused('input', `${id} takes at most ${facts.inputs} inputs in one request; these are ${inputs.length}`);
  }
  const surely = (tokens: number) => (kind === 'tokens' ? tokens : Math.floor(tokens / maxOverestimate));
  const about = kind === 'tokens' ? '' : 'about ';
  if (facts.inputTokens !== null && surely(longest.tokens) > facts.inputTokens) {
    const param = inputs.length > 1 ? `input[${longest.index}]` : 'input';
    const sentence = `${id} takes inputs of at most ${facts.inputTokens} tokens; "${param}" has ${about}${longest.tokens}`;
    throw new AppError('context_length_exceeded', `${sentence}.`, { param });
  }
  if (facts.requestTokens !== null && surely(inputTokens) > facts.requestTokens) {
    const sentence = `${id} takes at most ${facts.requestTokens} tokens in one request; these are ${about}${inputTokens}`;
    throw new AppError('context_length_exceeded', `${sentence}. Send fewer inputs at once.`, { param: 'input' });
  }
}

function checkDimensions(
  call: EmbeddingCall,
  { id }: CatalogueModel,
  { dimensions, selectable }: EmbeddingFacts,
): void {
  const asked = call.dimensions;
  const numbers = call.inputs.length * (asked ?? dimensions ?? 0);
  if (asked !== null && asked !== dimensions) {
    if (selectable === null)
      throw refused('dimensions', `${id} has ${dimensions} dimensions and no other number of them`);
    const { min, max } = selectable;
    if (asked < min || asked > max) throw refused('dimensions', `${id} has ${min} to ${max} dimensions`);
  }
  if (call.format === 'float' && numbers > maxFloats) {
    throw refused('encoding_format', `${numbers} numbers come as "base64" only, at most ${maxFloats} as "float"`);
  }
}

const refused = (param: string, sentence: string) => new AppError('unsupported_value', `${sentence}.`, { param });

/** If only an estimate is too long, the vendor decides: it refuses the input or cuts it. */
function lengthWarnings({ extent }: EmbeddingCall, { inputTokens }: EmbeddingFacts): Warning[] {
  if (extent.kind === 'tokens' || inputTokens === null || extent.longest.tokens <= inputTokens) return [];
  const message = `An input may be longer than the ${inputTokens} tokens that the model reads; what is more may be cut off.`;
  return [{ code: 'input_may_be_cut', param: 'input', message }];
}
