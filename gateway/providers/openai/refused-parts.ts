import { AppError } from '#shared/errors.ts';
import type { ModelFacts } from '../../catalogue/model-facts.ts';
import type { ProviderCredential } from '../provider.ts';

/** What an answer can do without, and OpenAI may refuse. */
export interface AskedParts {
  /** The answer bit by bit, and summaries of what is thought: for organisations that OpenAI has verified. */
  readonly stream: boolean;
  readonly summary: boolean;
  /** The reasoning of earlier turns: for the organisation, and the model, that wrote it. */
  readonly reasoning: boolean;
}

/** Remembers what a credential's organisation is refused. */
export interface RefusedParts {
  /** What is to be asked for at first, of a model with these facts. */
  of(credential: ProviderCredential, facts: ModelFacts | null): AskedParts;
  /** What is to be asked for after this refusal; null where it says of nothing that could be left out. */
  without(parts: AskedParts, error: unknown, credential: ProviderCredential): AskedParts | null;
}

/** Verified organisations are believed within 15 minutes, the refusal says. */
const rememberedMs = 900_000;

const all: AskedParts = { stream: true, summary: true, reasoning: true };

/** `now`: milliseconds of a clock that only goes forward. */
export function createRefusedParts(now: () => number = () => performance.now()): RefusedParts {
  const refused = new WeakMap<ProviderCredential, { readonly parts: AskedParts; readonly at: number }>();
  return {
    of(credential, facts) {
      const known = refused.get(credential);
      if (!known || now() - known.at >= rememberedMs) return all;
      return facts?.streamsToVerifiedOnly === false ? { ...known.parts, stream: true } : known.parts;
    },
    without(parts, error, credential) {
      const name = refusedPart(error);
      if (name === null || !parts[name]) return null;
      const left = { ...parts, [name]: false };
      if (name !== 'reasoning') refused.set(credential, { parts: { ...left, reasoning: true }, at: now() });
      return left;
    },
  };
}

/**
 * "Your organization must be verified to stream this model", `param: "stream"`, and "… to generate reasoning summaries", `param:
 * "reasoning.summary"` (https://github.com/BeehiveInnovations/pal-mcp-server/issues/134, continuedev/continue/issues/12031);
 * "The encrypted content … could not be verified" (https://github.com/openai/codex/issues/8145). All read 2026-11-22.
 */
function refusedPart(error: unknown): keyof AskedParts | null {
  const said = error instanceof AppError ? error.providerError : null;
  if (said?.status !== 400) return null;
  if (said.code === 'invalid_encrypted_content') return 'reasoning';
  if (!/must be verified/i.test(said.message ?? '')) return null;
  return said.param === 'stream' ? 'stream' : said.param === 'reasoning.summary' ? 'summary' : null;
}
