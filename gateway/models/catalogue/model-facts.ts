import type { CompletionRequest } from '#shared/wire/chat-request.ts';

/** How much a model is asked to think, in OpenAI's values. */
export type Effort = NonNullable<CompletionRequest['reasoning_effort']>;

/** The efforts in order, from no thinking to the most. */
export const effortOrder: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** The source of a fact: a page, and the day on which it was read. */
export interface Source {
  readonly url: string;
  /** `YYYY-MM-DD`. */
  readonly read: string;
}

/** How a request controls thinking, by the vendor's own field. */
export type Thinking =
  | { readonly by: 'nothing' }
  /** OpenAI takes the efforts unchanged. `byDefault`: the model also thinks if the request doesn't mention it. */
  | { readonly by: 'effort'; readonly byDefault: boolean }
  /**
   * Anthropic from 4.6 on: the model decides, guided by `output_config.effort`. `byDefault`: it also thinks if the
   * request doesn't mention it. `bound`: earlier thinking is refused if the conversation before it was changed, unless
   * the request asks to drop it then.
   */
  | { readonly by: 'adaptive'; readonly byDefault: boolean; readonly bound?: true }
  /**
   * Anthropic up to 4.5: the request has a number of tokens below `max_tokens`. It's refused together with a forced
   * tool, and if the calls of a tool loop come back without the signed thinking that led to them.
   */
  | { readonly by: 'budget_tokens'; readonly min: number; readonly max: number }
  /** Gemini 2.5: the request has a number of tokens. 0 turns thinking off, if the model allows that. */
  | { readonly by: 'thinking_budget'; readonly min: number; readonly max: number }
  /** Gemini 3: the request has one of its levels, which are named like the efforts. */
  | { readonly by: 'level' };

/** A web search that a vendor does for its model while the model answers. */
export interface WebSearch {
  /** USD for each unit that is charged. */
  readonly price: string;
  /** The unit that is charged: each search, or each request with any number of searches. */
  readonly charged: 'searches' | 'requests';
  /**
   * Maximum number of searches in a request: the limit that is sent, or the most that the vendor searches if it accepts
   * no limit.
   */
  readonly max: number;
  /** The model can also search in a request that has functions. */
  readonly besideTools: boolean;
}

/**
 * What a vendor documents about one model, as far as requests have to be fitted to it. Nothing here is a guess:
 * `sources` has the pages that were read for each record, and an undocumented fact has the value that is safe in either
 * case.
 */
export interface ModelFacts {
  /** `provider/model`. */
  readonly id: string;
  readonly description: string | null;
  /**
   * Days (`YYYY-MM-DD`), if the vendor names them: of the release, of the notice of the end, and the last day on which
   * the model answers.
   */
  readonly released: string | null;
  readonly deprecated: string | null;
  readonly shutDown: string | null;
  /** The model (`provider/model`) that the vendor names as its replacement. It may be missing from the catalogue. */
  readonly successor: string | null;

  readonly contextLength: number;
  readonly maxOutputTokens: number;
  /** The router's first values: quality from 0 to 1, milliseconds to the first token and tokens per second. */
  readonly quality: number;
  readonly speed: readonly [firstTokenMs: number, tokensPerSecond: number];
  readonly inputs: readonly ('text' | 'image' | 'file' | 'audio')[];

  /** The efforts that the model supports; empty if it refuses the parameter. */
  readonly efforts: readonly Effort[];
  readonly thinking: Thinking;
  /** The API refuses to stream to organisations that the vendor hasn't verified. */
  readonly streamsToVerifiedOnly: boolean;

  /**
   * OpenAI supports tools, or thinking with tools, only in its Responses API for this model. Requests with tools or
   * thinking go there.
   */
  readonly responses: boolean;
  /** When the model can be forced to call a tool: always, only while it doesn't think, or never. */
  readonly forcedTools: 'always' | 'without_thinking' | 'never';
  /** The model supports `parallel_tool_calls`, under whatever name. */
  readonly parallelToolCalls: boolean;
  /** The model supports pictures inside a tool result. */
  readonly picturesInResults: boolean;

  /** The sampling parameters that the model supports. */
  readonly sampling: readonly string[];
  /** The sampling parameters also work while the model thinks because the request asked for it. */
  readonly samplesWhileThinking: boolean;
  /** Two parameters that can't be combined. The second one is left out. */
  readonly notTogether: readonly [string, string] | null;
  /** Highest seed. A higher one is left out. */
  readonly maxSeed: number;
  /** Highest temperature. */
  readonly maxTemperature: number;
  /** OpenAI's further fields that the model refuses. */
  readonly refusedFields: readonly string[];

  /**
   * How a JSON schema for the answer is sent: unchanged, with every object closed and some keywords removed, or only in
   * words.
   */
  readonly schema: 'as_sent' | 'closed' | 'in_words';
  /**
   * How JSON mode is requested: always with its field, with its field only if the messages contain the word JSON, or
   * only in words.
   */
  readonly jsonMode: 'as_sent' | 'with_the_word' | 'in_words';
  /** A format for the answer can be combined with tools. */
  readonly formatWithTools: boolean;

  /** The vendor's own web search for this model; null if there is none. */
  readonly webSearch: WebSearch | null;

  /** The model generates images with text around them. It then calls no functions. */
  readonly makesImages: boolean;

  /** The conversation may end with the model's own turn. */
  readonly prefill: boolean;
  /** The conversation must have a user's turn, and begin with one. */
  readonly beginsWithUser: boolean;
  /** The model refuses turns without content. */
  readonly refusesBlankTurns: boolean;

  readonly sources: readonly Source[];
}
