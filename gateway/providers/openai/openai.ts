import { AppError } from '#shared/errors.ts';
import { openAiDialect } from '../openai-compatible/dialects.ts';
import { createOpenAiCompatible, openAiCall } from '../openai-compatible/openai-compatible.ts';
import { chatByResponses } from '../openai-responses/openai-responses.ts';
import type { Provider, ProviderCredential, ProviderRequest } from '../provider.ts';

/**
 * Creates the adapter for OpenAI: chat completions, or the Responses API if the request asks for it. Features that
 * OpenAI refuses because the organisation isn't verified are left out. An answer that the organisation may not stream
 * is requested non-streaming.
 */
export function createOpenAi(): Provider {
  const byCompletions = createOpenAiCompatible({ id: 'openai', name: 'OpenAI', dialect: openAiDialect });
  const refused = createRefusedParts();
  return {
    ...byCompletions,
    signsReasoning: true,
    showsThinking: false,
    async chat(request, context, take) {
      for (let parts = refused.initialParts(context.credential, request); ; ) {
        const nonStreaming = request.nonStreaming === true || !parts.stream;
        if (nonStreaming && !request.nonStreaming) context.answersNonStreaming?.();
        const asked = nonStreaming ? { ...request, nonStreaming } : request;
        try {
          if (request.api === 'responses')
            return await chatByResponses(asked, parts, context, take, openAiCall('openai', context, '/responses'));
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

/** Features that an answer can do without and that OpenAI may refuse. */
interface AskedParts {
  /** OpenAI streams, and summarises the thinking, only for organisations that it has verified. */
  readonly stream: boolean;
  readonly summary: boolean;
  /** The reasoning of earlier turns. OpenAI accepts it only from the organisation, and for the model, that wrote it. */
  readonly reasoning: boolean;
}

type Asked = Pick<ProviderRequest, 'model' | 'facts'>;

/** Remembers what OpenAI refuses to a credential's organisation. */
interface RefusedParts {
  /** Returns the features to request first. */
  initialParts(credential: ProviderCredential, asked: Asked): AskedParts;
  /** Returns the features to request after this error; null if the error isn't about one of them. */
  without(parts: AskedParts, error: unknown, credential: ProviderCredential, asked: Asked): AskedParts | null;
}

/**
 * OpenAI's refusal explains that a verification takes effect within 15 minutes. After that, the features are requested
 * again.
 */
const rememberedMs = 900_000;

const all: AskedParts = { stream: true, summary: true, reasoning: true };

interface Refused {
  readonly since: number;
  /**
   * Models that the organisation may not stream. After one refusal, no model that is known to need verification is
   * streamed.
   */
  readonly streams: ReadonlySet<string>;
  readonly summary: boolean;
}

/** `now`: milliseconds of a clock that only goes forward. */
export function createRefusedParts(now: () => number = () => performance.now()): RefusedParts {
  const refused = new WeakMap<ProviderCredential, Refused>();
  const refusedTo = (credential: ProviderCredential): Refused => {
    const known = refused.get(credential);
    return known && now() - known.since < rememberedMs ? known : { since: now(), streams: new Set(), summary: false };
  };
  return {
    initialParts(credential, { model, facts }) {
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
 * Recognises OpenAI's refusals: "Your organization must be verified to stream this model", `param: "stream"`, and "… to
 * generate reasoning summaries", `param: "reasoning.summary"`
 * (https://github.com/BeehiveInnovations/pal-mcp-server/issues/134, continuedev/continue/issues/12031); "The encrypted
 * content … could not be verified" (https://github.com/openai/codex/issues/8145). All read 2026-11-22.
 */
function refusedPart(error: unknown): keyof AskedParts | null {
  const reported = error instanceof AppError ? error.providerError : null;
  if (reported?.status !== 400) return null;
  if (reported.code === 'invalid_encrypted_content') return 'reasoning';
  if (!/must be verified/i.test(reported.message ?? '')) return null;
  return reported.param === 'stream' ? 'stream' : reported.param === 'reasoning.summary' ? 'summary' : null;
}
