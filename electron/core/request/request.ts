import { estimateInputTokens } from '#gateway/providers/content/estimate-tokens.ts';
import type { ContextFit } from '#shared/contract/chat/conversations.ts';
import type { ChatOptions, Parameters } from '#shared/contract/chat/options.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { getProblemText, toAppError } from '#shared/errors.ts';
import { refusal, toProblemText } from '#shared/language/refusals.ts';
import type { CompletionRequestBody } from '#shared/wire/chat-request.ts';
import type { Model } from '#shared/wire/model.ts';
import type { DescribeModel } from '../gateways/connection/model-facts.ts';
import { failureEntry, type Log } from '../runtime/log/log.ts';
import {
  getCalls,
  goOn,
  goOnWithResults,
  type HistoryEntry,
  maxMessages,
  sendable,
  type ToPart,
  toWire,
  type WireMessage,
  withCalls,
} from './history.ts';

/** A tool as chats know it. Only the toolbox knows what its permissions are bound to. */
export interface OfferedTool {
  /** The name that the model gets. */
  readonly wireName: string;
  readonly title: string;
  readonly serverId: string | null;
  readonly serverName: string;
  readonly tool: string;
  readonly fingerprint: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly readOnly: boolean;
  readonly asks: boolean;
}

/** Lists tools, checks their permissions and runs them. */
export interface Toolbox {
  offered(): Promise<OfferedTool[]>;
  isPermitted(tool: OfferedTool, conversationId: string): Promise<boolean>;
  permit(tool: OfferedTool, scope: 'chat' | 'always', conversationId: string): Promise<void>;
  /** Runs a tool. A failure is returned as output, so this throws only when aborted. */
  run(tool: OfferedTool, input: string, signal: AbortSignal): Promise<{ text: string; isError: boolean }>;
}

/**
 * A model that isn't in the catalogue gets no tools, because several servers refuse requests with tools they can't use.
 */
const takesTools = (record: Model | null): boolean => record?.capabilities.includes('tools') ?? false;

/** Converts tools to the wire format (wire contract §1.1). */
function wireTools(offered: readonly OfferedTool[]): NonNullable<CompletionRequestBody['tools']> {
  return offered.map(({ wireName, description, inputSchema }) => ({
    type: 'function',
    function: { name: wireName, ...(description ? { description } : {}), parameters: { ...inputSchema } },
  }));
}

/**
 * Returns the purpose of a request, which our gateway keeps with its record (wire contract §10). Other gateways get
 * only what every OpenAI-compatible server accepts: the request to count the tokens of a streamed answer.
 */
export const purposeOfRequest = (
  other: boolean,
  purpose: string,
  conversationId: string | null,
): Pick<CompletionRequestBody, 'metadata' | 'stream_options'> =>
  other
    ? { stream_options: { include_usage: true } }
    : { metadata: { purpose, ...(conversationId === null ? {} : { conversation_id: conversationId }) } };

interface WindowInput {
  /** Input tokens of each message, oldest first. The last message is the question. */
  readonly sizes: readonly number[];
  /** Whether a request may begin with this message. Only a user’s message may be the first. */
  readonly beginnings: readonly boolean[];
  /** Tokens that are always sent, such as the system prompt and the summary. */
  readonly fixed: number;
  /** The model’s context length, or null if it is unknown. */
  readonly limit: number | null;
  readonly reserve: number;
  /** The most messages a request may have (wire contract §1.3). */
  readonly maxMessages: number;
}

/**
 * Returns how many of the oldest messages are left out. The question always stays, however long it is. The first
 * message that is sent is the user’s.
 */
export function outsideCount({ sizes, beginnings, fixed, limit, reserve, maxMessages }: WindowInput): number {
  const last = sizes.length - 1;
  let freeTokens = (limit ?? Number.POSITIVE_INFINITY) - fixed - reserve - (sizes[last] ?? 0);
  let first = Math.max(0, last);
  while (first > 0 && sizes.length - first < maxMessages && (sizes[first - 1] ?? 0) <= freeTokens) {
    first -= 1;
    freeTokens -= sizes[first] ?? 0;
  }
  if (first === 0) return 0;
  while (first < last && !beginnings[first]) first += 1;
  return first;
}

const usualAnswer = 4096;

/**
 * Returns the tokens that are reserved for an answer: its limit or a usual length, and never more than half of the
 * context.
 */
export function reserveFor(maxTokens: number | null, longest: number | null, limit: number | null): number {
  const wanted = maxTokens ?? Math.min(usualAnswer, longest ?? usualAnswer);
  return limit === null ? wanted : Math.min(wanted, Math.floor(limit / 2));
}

export interface RequestDeps {
  readonly modelFacts: DescribeModel;
  readonly getOptions: (chat: string) => Promise<ChatOptions>;
  /** Returns a summary of the beginning of this branch. It covers the messages up to `throughId`. */
  readonly getSummary: (
    conversationId: string,
    branchIds: readonly string[],
  ) => Promise<{ throughId: string; text: string } | null>;
  /** Returns the project of a conversation’s folder, or of the folder that a new conversation begins in. */
  readonly getProject: (chat: {
    readonly conversationId: string | null;
    readonly folderId: string | null;
  }) => Promise<{ instructions: string; attachments: readonly Attachment[] } | null>;
  /** Returns the enabled tools. */
  readonly offeredTools: () => Promise<OfferedTool[]>;
  /**
   * `modelFor` returns the model for a new chat. `isOther` is true if the gateway isn't ours and accepts only standard
   * parameters.
   */
  readonly gateway: { modelFor(wanted: string): Promise<string>; isOther(): Promise<boolean> };
}

export interface RequestInput {
  /** Null if the conversation isn't stored yet. */
  readonly conversationId: string | null;
  /** The id that a new conversation will get. With it, `model` is final. A request that is only priced has none. */
  readonly newId?: string | undefined;
  /** The folder of a new conversation. */
  readonly folderId?: string | null | undefined;
  /** The key of a window's new chat. A new conversation takes over its options. */
  readonly newChat?: string | null | undefined;
  /** The branch, including the question. */
  readonly branch: readonly HistoryEntry[];
  readonly model: string;
  /** The branch ends with an answer to continue. */
  readonly continues?: boolean;
  /** The purpose that the gateway's record shows. */
  readonly purpose?: 'chat' | 'compare';
}

/** A request as it is sent, and what was left out of it. */
export interface BuiltRequest {
  readonly body: CompletionRequestBody;
  readonly context: {
    readonly limitTokens: number | null;
    readonly usedTokens: number;
    /** Tokens that are reserved for the answer. */
    readonly reservedTokens: number;
    /** The most messages of a request, if that limit and not the tokens makes the chat too long. Otherwise null. */
    readonly maxMessages: number | null;
    readonly notSentIds: readonly string[];
    readonly overflows: boolean;
    /** A summary is written before the message is sent. */
    readonly summarises?: boolean;
    /** How many messages are left out without a summary. */
    readonly leftOut?: number;
  };
  /** Files of the question that this model cannot read. */
  readonly unread: readonly Attachment[];
  /** Files of the project that this model can't read, so they are left out. */
  readonly projectUnread: readonly Attachment[];
  /**
   * Returns the same body with its files converted by this function, for example with real files in place of
   * placeholders.
   */
  bodyWith(toPart: ToPart): Promise<CompletionRequestBody>;
}

export type BuildRequest = (input: RequestInput, toPart: ToPart) => Promise<BuiltRequest>;

/** Builds requests, both for answers and for quotes, so that a quote is for exactly the request that is sent. */
export function requestBuilder({
  modelFacts,
  getOptions,
  getSummary,
  getProject,
  offeredTools,
  gateway,
}: RequestDeps): BuildRequest {
  return async function build(input, toPart) {
    const {
      conversationId,
      newId = null,
      folderId = null,
      newChat,
      branch,
      continues = false,
      purpose = 'chat',
    } = input;
    const isSettled = conversationId !== null || newId !== null;
    const model = isSettled ? input.model : await gateway.modelFor(input.model);
    const other = await gateway.isOther();
    const record = modelFacts(model)?.record ?? null;
    const options = await getOptions(conversationId ?? newChat ?? 'new');
    const project = await getProject({ conversationId, folderId });
    const entries = sendable(branch, continues);
    const searches = options.webSearch && (record?.capabilities.includes('web_search') ?? false);
    const withTools = options.tools && takesTools(record) && !(searches && record?.web_search?.beside_tools === false);
    const tools = withTools ? wireTools(await offeredTools()) : [];
    const results = continues && getCalls(entries.at(-1) ?? {}).length > 0;
    const prompt = continues ? promptFor(results, tools.length > 0) : [];
    const ids = entries.map((entry) => entry.id);
    const summary = conversationId === null ? null : await getSummary(conversationId, ids);
    const begin = summary ? ids.indexOf(summary.throughId) + 1 : 0;
    const after = entries.slice(begin);
    const reads = (file: Attachment) => readsFile(record, file);
    const known = project?.attachments.filter(reads) ?? [];
    const fixed = [
      ...systemMessage(project?.instructions ?? ''),
      ...systemMessage(options.system),
      ...systemMessage(summary ? summaryWords(summary.text) : ''),
    ];
    const limitTokens = record?.context_length ?? null;
    // The messages after the question are never left out, because a continuation needs them.
    const asked = Math.max(
      0,
      after.findLastIndex(({ role }) => role === 'user'),
    );
    const all = after.map(getSize);
    const sizes = [...all.slice(0, asked), ...(all.length > 0 ? [getSum(all.slice(asked))] : [])];
    const fixedTokens = estimateInputTokens([...fixed, ...prompt], tools) + getSum(known.map(({ tokens }) => tokens));
    const reservedTokens = reserveFor(options.parameters.maxTokens, record?.max_output_tokens ?? null, limitTokens);
    const outside = outsideCount({
      sizes,
      beginnings: after.map((entry) => entry.role === 'user'),
      fixed: fixedTokens,
      limit: limitTokens,
      reserve: reservedTokens,
      maxMessages: maxMessages - fixed.length - prompt.length - getSum(after.map((entry) => getCalls(entry).length)),
    });
    const inside = withFiles(after.slice(outside), known);
    const getMessages = async (readPart: ToPart) => [
      ...fixed,
      ...(await toWire(inside, { reads, toPart: readPart, tools: tools.length > 0 })),
      ...prompt,
    ];
    const body: CompletionRequestBody = {
      model,
      messages: await getMessages(toPart),
      ...parametersFor(record, other, options.parameters),
      ...(other ? {} : routeFor(model, record, options)),
      ...(tools.length > 0 ? { tools } : {}),
      ...(searches ? { web_search_options: {} } : {}),
      ...(makesImages(record) ? { modalities: ['text', 'image'] } : {}),
      ...purposeOfRequest(other, results ? 'tool' : purpose, conversationId ?? newId),
    };
    const hasFiles = inside.some(({ attachments }) => attachments.length > 0);
    return {
      body,
      bodyWith: async (readPart) => (hasFiles ? { ...body, messages: await getMessages(readPart) } : body),
      context: {
        limitTokens,
        usedTokens: fixedTokens + getSum(sizes.slice(outside)),
        reservedTokens,
        maxMessages:
          outside > 0 && fixedTokens + getSum(sizes) + reservedTokens <= (limitTokens ?? Number.POSITIVE_INFINITY)
            ? maxMessages
            : null,
        notSentIds: ids.slice(0, begin + outside),
        leftOut: outside,
        ...overflow(outside, options, sizes.at(-1) ?? 0, limitTokens),
      },
      unread: (after[asked]?.attachments ?? []).filter((file) => !reads(file)),
      projectUnread: project?.attachments.filter((file) => !reads(file)) ?? [],
    };
  };
}

/**
 * Decides whether the chat is too long to send, and whether a summary would help. Without a known context length only
 * the number of messages is limited, and then the oldest are left out without asking.
 */
function overflow(outside: number, options: ChatOptions, question: number, limit: number | null) {
  const { overflow: way, summarise } = options;
  const alone = limit !== null && question > limit;
  const summarises = limit !== null && summarise && outside > 0 && !alone;
  return { overflows: alone || (limit !== null && outside > 0 && way !== 'drop' && !summarises), summarises };
}

/**
 * Adds the files of a project to the first message that is sent. There they stay in the same place, so the provider can
 * cache the beginning of the chat.
 */
function withFiles(entries: readonly HistoryEntry[], files: readonly Attachment[]): readonly HistoryEntry[] {
  const first = entries.findIndex(({ role }) => role === 'user');
  return files.length === 0
    ? entries
    : entries.map((entry, index) =>
        index === first ? { ...entry, attachments: [...files, ...entry.attachments] } : entry,
      );
}

const systemMessage = (content: string): WireMessage[] => (content.trim() === '' ? [] : [{ role: 'system', content }]);

const summaryWords = (text: string) => `Summary of the conversation so far, in place of its first messages:\n\n${text}`;

const getSum = (numbers: readonly number[]): number => numbers.reduce((sum, size) => sum + size, 0);

function getSize(entry: HistoryEntry): number {
  const { role, text, attachments } = entry;
  const messages = getCalls(entry).length > 0 ? withCalls(entry, false) : [{ role, content: text }];
  return estimateInputTokens(messages, undefined) + getSum(attachments.map(({ tokens }) => tokens));
}

/** Whether to request images: only from a model that makes them, never from the router. */
const makesImages = (record: Model | null): boolean =>
  record?.kind === 'chat' && record.architecture.output_modalities.includes('image');

/** Returns the prompt to continue. After tool results the model continues without one, if the request has tools. */
function promptFor(results: boolean, tools: boolean): WireMessage[] {
  if (results) return tools ? [] : [goOnWithResults];
  return [goOn];
}

/** Whether a model reads a file. Every model reads text. If the model isn't in the catalogue, the gateway decides. */
export function readsFile(record: Model | null, { kind }: Pick<Attachment, 'kind'>): boolean {
  if (kind === 'text' || !record) return true;
  return record.architecture.input_modalities.includes(kind === 'image' ? 'image' : 'file');
}

/**
 * Returns the router's options. A model that the user chose gets none, so it's used even if the router must not choose
 * it.
 */
function routeFor(
  model: string,
  record: Model | null,
  { router, ignore }: ChatOptions,
): Partial<CompletionRequestBody> {
  if (model !== 'router' && record?.kind !== 'router') return {};
  return {
    route: {
      policy: router.policy,
      ...(router.maxCostUsd === null ? {} : { max_cost_usd: router.maxCostUsd }),
      ...(ignore.length > 0 ? { ignore: [...ignore] } : {}),
    },
  };
}

/** Returns the parameters that the model supports. The others stay set, for other models. */
function parametersFor(record: Model | null, other: boolean, parameters: Parameters): Partial<CompletionRequestBody> {
  const takes = (name: string) =>
    record ? record.supported_parameters.includes(name) : !other || name !== 'reasoning_effort';
  const { temperature, topP, maxTokens, reasoningEffort } = parameters;
  return {
    ...(temperature !== null && takes('temperature') ? { temperature } : {}),
    ...(topP !== null && takes('top_p') ? { top_p: topP } : {}),
    ...(maxTokens !== null && takes('max_tokens') ? { max_tokens: maxTokens } : {}),
    ...(reasoningEffort !== null && takes('reasoning_effort') ? { reasoning_effort: reasoningEffort } : {}),
  };
}

interface FitContextDeps {
  readonly build: BuildRequest;
  readonly getOverflow: (conversationId: string) => Promise<'stop' | 'drop' | 'compact'>;
  /** Requests a summary of the older half of the shown branch. Throws if that fails. */
  readonly compact: (
    input: { conversationId: string; model: string; overCaps: boolean },
    signal: AbortSignal | undefined,
  ) => Promise<{ readonly messages: number }>;
  readonly log: Log;
}

interface Input extends RequestInput {
  readonly conversationId: string;
}

export type FitContext = (
  input: Input,
  toPart: ToPart,
  signal: AbortSignal,
  /** The request that was built when the answer was admitted. Null if it must be built now. */
  admitted: BuiltRequest | null,
) => Promise<{ readonly request: BuiltRequest; readonly room: ContextFit | null }>;

/**
 * Returns the request of an answer. If it doesn't fit and the chat summarises automatically, a summary is written
 * first: one at a time per chat, and one per message. If that fails or isn't enough, the chat’s overflow option
 * decides. The decision is stored with the answer, and `stop` throws `context_length_exceeded`.
 */
export function contextFitter({ build, getOverflow, compact, log }: FitContextDeps): FitContext {
  const writing = new Map<string, Promise<{ readonly messages: number }>>();

  function summarise({ conversationId, model }: Input, signal: AbortSignal) {
    const running = writing.get(conversationId);
    if (running !== undefined) return running;
    const started = compact({ conversationId, model, overCaps: false }, signal).finally(() =>
      writing.delete(conversationId),
    );
    writing.set(conversationId, started);
    return started;
  }

  return async (input, toPart, signal, admitted) => {
    const first = admitted ?? (await build(input, toPart));
    if (!first.context.summarises) return { request: first, room: null };
    const made = await summarise(input, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      log({ event: 'summary_failed', ...failureEntry(error) });
      return { messages: null, why: getProblemText(toAppError(error)) };
    });
    const request = made.messages === null ? first : await build(input, toPart);
    const why = 'why' in made ? made.why : request.context.summarises ? toProblemText('notEnoughRoom') : null;
    if (request.context.summarises && (await getOverflow(input.conversationId)) !== 'drop') {
      throw refusal('context_length_exceeded', 'noRoom', { why: why ?? '' });
    }
    const leftOut = request.context.summarises ? (request.context.leftOut ?? 0) : 0;
    return { request, room: { summarised: made.messages, leftOut, why } };
  };
}
