import { estimateInputTokens } from '#gateway/lib/estimate.ts';
import type { Attachment } from '#shared/contract/attachments.ts';
import type { ChatOptions, Parameters } from '#shared/contract/options.ts';
import type { CompletionRequestBody } from '#shared/wire/chat-request.ts';
import type { Model } from '#shared/wire/model.ts';
import type { DescribeModel } from '../model-facts.ts';
import { outsideCount, reserveFor } from './context-window.ts';
import { goOn, type HistoryEntry, mostMessages, sendable, type ToPart, toWire, type WireMessage } from './history.ts';

export interface RequestDeps {
  readonly modelFacts: DescribeModel;
  readonly optionsOf: (chat: string) => Promise<ChatOptions>;
  /** The text that stands for the beginning of this branch, up to and with one of its messages. */
  readonly summaryOf: (
    conversationId: string,
    branchIds: readonly string[],
  ) => Promise<{ throughId: string; text: string } | null>;
}

export interface RequestInput {
  readonly conversationId: string | null;
  /** The branch up to and with the question. */
  readonly branch: readonly HistoryEntry[];
  readonly model: string;
  /** The branch ends with an answer that is to go on. */
  readonly continues?: boolean;
}

/** A request as it would be sent, and what was left out of it. */
export interface BuiltRequest {
  readonly body: CompletionRequestBody;
  readonly context: {
    readonly limitTokens: number | null;
    readonly usedTokens: number;
    readonly outsideIds: readonly string[];
    readonly overflows: boolean;
  };
  /** Files of the question that this model does not read. */
  readonly unread: readonly Attachment[];
}

export type BuildRequest = (input: RequestInput, toPart: ToPart) => Promise<BuiltRequest>;

/** Makes requests: the same way for an answer and for its quote, so that the one holds for the other. */
export function requestBuilder({ modelFacts, optionsOf, summaryOf }: RequestDeps): BuildRequest {
  return async function build({ conversationId, branch, model, continues = false }, toPart) {
    const record = modelFacts(model)?.record ?? null;
    const options = await optionsOf(conversationId ?? 'new');
    const entries = sendable(branch, continues);
    const prompt = continues ? [goOn] : [];
    const ids = entries.map((entry) => entry.id);
    const summary = conversationId === null ? null : await summaryOf(conversationId, ids);
    const begin = summary ? ids.indexOf(summary.throughId) + 1 : 0;
    const after = entries.slice(begin);
    const fixed = [...systemMessage(options.system), ...systemMessage(summary ? summaryWords(summary.text) : '')];
    const limitTokens = record?.context_length ?? null;
    const sizes = after.map(sizeOf);
    const fixedTokens = estimateInputTokens([...fixed, ...prompt] as never, undefined);
    const outside = outsideCount({
      sizes,
      beginnings: after.map((entry) => entry.role === 'user'),
      fixed: fixedTokens,
      limit: limitTokens,
      reserve: reserveFor(options.parameters.maxTokens, record?.max_output_tokens ?? null, limitTokens),
      mostMessages: mostMessages - fixed.length - prompt.length,
    });
    const inside = after.slice(outside);
    const reads = (file: Attachment) => readsFile(record, file);
    return {
      body: {
        model,
        messages: [...fixed, ...(await toWire(inside, reads, toPart)), ...prompt],
        ...parametersFor(record, options.parameters),
        ...routeFor(model, record, options.ignore),
        metadata: { purpose: 'chat', ...(conversationId === null ? {} : { conversation_id: conversationId }) },
      },
      context: {
        limitTokens,
        usedTokens: fixedTokens + sizes.slice(outside).reduce((sum, size) => sum + size, 0),
        outsideIds: ids.slice(0, begin + outside),
        overflows: overflows(outside, options.overflow, sizes.at(-1) ?? 0, limitTokens),
      },
      unread: (entries.at(-1)?.attachments ?? []).filter((file) => !reads(file)),
    };
  };
}

/** Beyond the wire's own count of messages the oldest are left out in any case. */
const overflows = (outside: number, way: ChatOptions['overflow'], question: number, limit: number | null): boolean =>
  limit !== null && (question > limit || (outside > 0 && way !== 'drop'));

const systemMessage = (content: string): WireMessage[] => (content.trim() === '' ? [] : [{ role: 'system', content }]);

const summaryWords = (text: string) => `Summary of the conversation so far, in place of its first messages:\n\n${text}`;

const sizeOf = ({ role, text, attachments }: HistoryEntry): number =>
  estimateInputTokens([{ role, content: text } as never], undefined) +
  attachments.reduce((sum, file) => sum + file.tokens, 0);

/** Every model reads text. A model that is not listed is asked: the gateway knows it better. */
export function readsFile(record: Model | null, { kind }: Pick<Attachment, 'kind'>): boolean {
  if (kind === 'text' || !record) return true;
  return record.architecture.input_modalities.includes(kind === 'image' ? 'image' : 'file');
}

/** A model that was named is asked, whatever the router may not take. */
const routeFor = (model: string, record: Model | null, ignore: readonly string[]): Partial<CompletionRequestBody> =>
  ignore.length > 0 && (model === 'router' || record?.kind === 'router') ? { route: { ignore: [...ignore] } } : {};

/** Only what the model supports is sent; the rest stays set for the models that do. */
function parametersFor(record: Model | null, parameters: Parameters): Partial<CompletionRequestBody> {
  const takes = (name: string) => !record || record.supported_parameters.includes(name);
  const { temperature, topP, maxTokens, reasoningEffort } = parameters;
  return {
    ...(temperature !== null && takes('temperature') ? { temperature } : {}),
    ...(topP !== null && takes('top_p') ? { top_p: topP } : {}),
    ...(maxTokens !== null && takes('max_tokens') ? { max_tokens: maxTokens } : {}),
    ...(reasoningEffort !== null && takes('reasoning_effort') ? { reasoning_effort: reasoningEffort } : {}),
  };
}
