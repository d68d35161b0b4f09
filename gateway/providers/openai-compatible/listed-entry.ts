import { asArray, asCount, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { type PicoUsd, picoUsd } from '#shared/money.ts';
import type { Price } from '#shared/price.ts';
import type { ListedModel } from '../provider.ts';

/**
 * One entry of `GET /models`. OpenAI's own has an id and a date; the others add facts under names of their own, all of
 * which are looked for here. Nothing where it can neither chat nor make embeddings.
 */
export function listedEntry(value: unknown, notForChat: RegExp | null): ListedModel[] {
  const entry = asObject(value);
  const model = asText(entry.id);
  if (!model) return [];
  const embeds = makesEmbeddings(entry, model);
  if (!embeds && (notForChat?.test(model) || !canChat(entry))) return [];
  const architecture = asObject(entry.architecture);
  const parameters = Array.isArray(entry.supported_parameters) ? entry.supported_parameters : null;
  return [
    {
      model,
      name: asText(entry.display_name) ?? asText(entry.name),
      created: asCount(entry.created),
      contextLength: firstCount(entry, ['context_length', 'context_window', 'max_context_length', 'max_model_len']),
      maxOutputTokens:
        asCount(entry.max_completion_tokens) ?? asCount(asObject(entry.top_provider).max_completion_tokens),
      inputs: getInputs(entry, architecture),
      makesImages: asArray(architecture.output_modalities).includes('image'),
      tools:
        flag(asObject(entry.capabilities).function_calling) ??
        flag(entry.supports_tools) ??
        parameters?.includes('tools') ??
        null,
      reasoning: flag(asObject(entry.capabilities).reasoning) ?? parameters?.includes('reasoning') ?? null,
      price: parsePricing(asObject(entry.pricing)),
      embeds,
    },
  ];
}

const flag = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);

const firstCount = (entry: JsonObject, names: readonly string[]): number | null =>
  names.map((name) => asCount(entry[name])).find((count) => count !== null && count > 0) ?? null;

/** Mistral, Fireworks, Groq, Together and OpenRouter each say in their own way what is not for chat. */
function canChat(entry: JsonObject): boolean {
  const type = asText(entry.type);
  const outputs = asArray(asObject(entry.architecture).output_modalities);
  return (
    asObject(entry.capabilities).completion_chat !== false &&
    entry.supports_chat !== false &&
    entry.active !== false &&
    (type === null || !['image', 'audio', 'moderation', 'rerank', 'video'].includes(type)) &&
    (outputs.length === 0 || outputs.includes('text'))
  );
}

/** By its kind where the server says one, else by its name. */
const makesEmbeddings = ({ type }: JsonObject, model: string): boolean =>
  type === 'embedding' || type === 'embeddings' || /embed/i.test(model);

function getInputs(entry: JsonObject, architecture: JsonObject): readonly string[] | null {
  const named = asArray(architecture.input_modalities).filter((one): one is string => typeof one === 'string');
  if (named.length > 0) return named;
  const sees = flag(asObject(entry.capabilities).vision) ?? flag(entry.supports_image_input);
  return sees === null ? null : ['text', ...(sees ? ['image'] : [])];
}

/** OpenRouter's: decimal strings in USD per token. Everything else is no price that can be trusted. */
function parsePricing(pricing: JsonObject): Price | null {
  const prompt = perToken(pricing.prompt);
  const completion = perToken(pricing.completion);
  if (prompt === null || completion === null) return null;
  return {
    prompt,
    completion,
    cacheRead: perToken(pricing.input_cache_read),
    cacheWrite: perToken(pricing.input_cache_write),
    outputImage: perToken(pricing.image_output),
    request: perToken(pricing.request, dearestRequest) ?? picoUsd(0n),
    tiers: [],
  };
}

/** $10,000 per million tokens. */
const dearestToken = 10_000_000_000n;
const dearestRequest = 100_000_000_000_000n;

/**
 * A price below a pico-USD is rounded up to one; what is not a plain decimal ("-1": it depends) is not known, and what nobody
 * would ask is no price.
 */
function perToken(value: unknown, dearest = dearestToken): PicoUsd | null {
  const match = typeof value === 'string' ? /^(\d{1,9})(?:\.(\d{1,30}))?$/.exec(value) : null;
  if (!match) return null;
  const [, whole = '0', fraction = ''] = match;
  const pico = BigInt(`${whole}${fraction.slice(0, 12).padEnd(12, '0')}`);
  const price = pico + (/[1-9]/.test(fraction.slice(12)) ? 1n : 0n);
  return price <= dearest ? picoUsd(price) : null;
}
