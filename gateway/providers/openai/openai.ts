import { AppError } from '#shared/errors.ts';
import { openAiDialect } from '../openai-compatible/dialects.ts';
import { createOpenAiCompatible } from '../openai-compatible/openai-compatible.ts';
import { chatByResponses } from '../openai-responses/openai-responses.ts';
import type { Provider, ProviderCredential, ProviderRequest } from '../provider.ts';

/**
 * OpenAI: chat completions, and the Responses API where the request says so. What its organisation is refused for want of being
 * verified is left out, and an answer that it may not stream is asked for whole.
 */
export function createOpenAi(): Provider {
  const byCompletions = createOpenAiCompatible({ id: 'openai', name: 'OpenAI', dialect: openAiDialect });
  const refused = createRefusedParts();
  return {
    ...byCompletions,
    signsReasoning: true,
    showsThinking: false,
    async chat(request, context, take) {
      for (let parts = refused.of(context.credential, request); ; ) {
        const whole = request.whole === true || !parts.stream;
        if (whole && !request.whole) context.answersNonStreaming?.();
        const asked = whole ? { ...request, whole } : request;
        try {
          if (request.api === 'responses') return await chatByResponses(asked, parts, context, take);
          return await byCompletions.chat(asked, context, take);
        } catch (error) {
          const left = refused.without(parts, error, context.credential, request);
          if (!left) throw error;
          parts = left;
        }
      }
    },
  };
}

/** What an answer can do without, and OpenAI may refuse. */
interface AskedParts {
  /** The answer bit by bit, and summaries of what is thought: for organisations that OpenAI has verified. */
  readonly stream: boolean;
  readonly summary: boolean;
  /** The reasoning of earlier turns: for the organisation, and the model, that wrote it. */
  readonly reasoning: boolean;
}

type Asked = Pick<ProviderRequest, 'model' | 'facts'>;

/** Remembers what a credential's organisation is refused. */
interface RefusedParts {
  /** What is to be asked of a model at first. */
  of(credential: ProviderCredential, asked: Asked): AskedParts;
  /** What is to be asked of it after this refusal; null where that says of nothing that could be left out. */
  without(parts: AskedParts, error: unknown, credential: ProviderCredential, asked: Asked): AskedParts | null;
}

/** Verified organisations are believed within 15 minutes, the refusal says. */
const rememberedMs = 900_000;

const all: AskedParts = { stream: true, summary: true, reasoning: true };

interface Refused {
  readonly at: number;
  /** Models that it may not stream. Whoever may not stream one may stream none that is known to be for the verified. */
  readonly streams: ReadonlySet<string>;
  readonly summary: boolean;
}

/** `now`: milliseconds of a clock that only goes forward. */
export function createRefusedParts(now: () => number = () => performance.now()): RefusedParts {
  const refused = new WeakMap<ProviderCredential, Refused>();
  const refusedTo = (credential: ProviderCredential): Refused => {
    const known = refused.get(credential);
    return known && now() - known.at < rememberedMs ? known : { at: now(), streams: new Set(), summary: false };
  };
  return {
    of(credential, { model, facts }) {
      const { streams, summary } = refusedTo(credential);
      const stream = !(streams.has(model) || (streams.size > 0 && facts?.streamsToVerifiedOnly));
      return { ...all, stream, summary: !summary };
    },
    without(parts, error, credential, { model }) {
      const name = refusedPart(error);
      if (name === null || !parts[name]) return null;
      const known = refusedTo(credential);
      if (name === 'stream') refused.set(credential, { ...known, streams: new Set([...known.streams, model]) });
      if (name === 'summary') refused.set(credential, { ...known, summary: true });
      return { ...parts, [name]: false };
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
