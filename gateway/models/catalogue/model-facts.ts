import type { CompletionRequest } from '#shared/wire/chat-request.ts';

/** How much a model is asked to think, in OpenAI's words. */
export type Effort = NonNullable<CompletionRequest['reasoning_effort']>;

/** From not at all to the most. */
export const effortOrder: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** Where a fact stands: a page, and the day on which it was read there. */
export interface Source {
  readonly url: string;
  /** `YYYY-MM-DD`. */
  readonly read: string;
}

/** How thinking is asked for, where the vendor has a word of its own for it. */
export type Thinking =
  | { readonly by: 'nothing' }
  /** OpenAI: its efforts as they are. `byDefault`: it also thinks where nothing is said. */
  | { readonly by: 'effort'; readonly byDefault: boolean }
  /**
   * Anthropic from 4.6 on: the model decides, guided by `output_config.effort`. `byDefault`: also where nothing is said. `bound`: what
   * it thought is refused after any other conversation than its own, unless the request says to drop it then.
   */
  | { readonly by: 'adaptive'; readonly byDefault: boolean; readonly bound?: true }
  /**
   * Anthropic up to 4.5: a number of tokens below `max_tokens`. Refused together with a forced tool, and where the calls of a
   * tool loop come back without the signed thinking that led to them.
   */
  | { readonly by: 'budget_tokens'; readonly least: number; readonly most: number }
  /** Gemini 2.5: a number of tokens; 0 switches it off where it can be. */
  | { readonly by: 'thinking_budget'; readonly least: number; readonly most: number }
  /** Gemini 3: one of its levels, which have the names of the efforts. */
  | { readonly by: 'level' };

/** A search of the web that a vendor does for its model, while that answers. */
export interface WebSearch {
  /** USD for each of what it charges for. */
  readonly price: string;
  /** What it charges for: each search, or a request that searched, however often. */
  readonly charged: 'searches' | 'requests';
  /** The most searches of one request: what it is told, or what it does where it cannot be told. */
  readonly most: number;
  /** It searches in a request that has functions, too. */
  readonly besideTools: boolean;
}

/**
 * What a vendor documents about one model, as far as a request has to be fitted to it. Nothing here is a guess: `sources` says
 * where each record was read, and what no page says has the value that is safe with both readings.
 */
export interface ModelFacts {
  /** `provider/model`. */
  readonly id: string;
  readonly description: string | null;
  /** Days, `YYYY-MM-DD`, where the vendor says them: of its release, of the notice, and after which it does not answer. */
  readonly released: string | null;
  readonly deprecated: string | null;
  readonly shutDown: string | null;
  /** `provider/model` that the vendor names in its place; it need not be in the catalogue. */
  readonly successor: string | null;

  readonly contextLength: number;
  readonly maxOutputTokens: number;
  /** The router's priors: quality from 0 to 1, milliseconds to the first token and tokens per second. */
  readonly quality: number;
  readonly speed: readonly [firstTokenMs: number, tokensPerSecond: number];
  readonly inputs: readonly ('text' | 'image' | 'file' | 'audio')[];

  /** What it may be asked for; empty where it refuses the parameter. */
  readonly efforts: readonly Effort[];
  readonly thinking: Thinking;
  /** Its API refuses a stream to organisations that the vendor has not verified. */
  readonly streamsToVerifiedOnly: boolean;

  /** OpenAI takes tools, or thinking beside them, only over its Responses API: what has tools or is to think goes there. */
  readonly responses: boolean;
  /** Whether it may be made to call a tool: always, only while it does not think, or never. */
  readonly forcedTools: 'always' | 'without_thinking' | 'never';
  /** Takes `parallel_tool_calls`, under whatever name. */
  readonly parallelToolCalls: boolean;
  /** Takes pictures inside a tool's result. */
  readonly picturesInResults: boolean;

  /** Sampling parameters that it takes. */
  readonly sampling: readonly string[];
  /** Also while it thinks because it was asked to. */
  readonly samplesWhileThinking: boolean;
  /** Of two parameters it takes one: the second is left out. */
  readonly notTogether: readonly [string, string] | null;
  /** Highest seed; what is beyond is left out. */
  readonly largestSeed: number;
  /** Highest temperature. */
  readonly maxTemperature: number;
  /** OpenAI's further fields that it refuses. */
  readonly refusedFields: readonly string[];

  /** A JSON schema for the answer: as it is, with every object closed and some keywords gone, or only asked for in words. */
  readonly schema: 'as_sent' | 'closed' | 'in_words';
  /** JSON mode: as it is, only where the word stands in the messages, or only asked for in words. */
  readonly jsonMode: 'as_sent' | 'with_the_word' | 'in_words';
  /** A format for the answer together with tools. */
  readonly formatWithTools: boolean;

  /** The vendor's own search of the web for it; null: none. */
  readonly webSearch: WebSearch | null;

  /** It makes images, and answers in text around them; it then calls no functions. */
  readonly makesImages: boolean;

  /** The conversation may end with the model's own turn. */
  readonly prefill: boolean;
  /** The conversation must begin with the user's turn, and have one. */
  readonly beginsWithUser: boolean;
  /** Turns that say nothing are refused. */
  readonly refusesBlankTurns: boolean;

  readonly sources: readonly Source[];
}
