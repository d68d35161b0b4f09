import { estimateInputTokens, tokensPerPdfPage, tokensPerSearch } from '#gateway/providers/content/estimate-tokens.ts';
import { maxInputTokens, measureInput, sizeOfDataUrl } from '#gateway/providers/content/input-size.ts';
import type { PixelSize } from '#gateway/providers/content/picture-size.ts';
import { isEnteredPrice, parsePricing, searchesIn } from '#shared/bill-lines.ts';
import { GatewayError, isLacking } from '#shared/client/gateway-error.ts';
import type { CapState } from '#shared/contract/chat/caps.ts';
import type { ComparisonQuote } from '#shared/contract/chat/comparisons.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { Quote } from '#shared/contract/chat/quotes.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { type AppError, getProblemText, toAppError } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { Price } from '#shared/price.ts';
import type { ChatMessage, CompletionRequestBody } from '#shared/wire/chat-request.ts';
import type { Quote as GatewayQuote } from '#shared/wire/quote.ts';
import type { MessageStore } from '../../conversations/message-store.ts';
import type { Connections, Payer } from '../../gateways/connection/connections.ts';
import { fromGateway, quoteGateway } from '../../gateways/connection/gateway-errors.ts';
import type { Naming } from '../../gateways/connection/model-facts.ts';
import type { Upper } from '../../request/admission.ts';
import type { FilePart, ToPart } from '../../request/history.ts';
import type { BuiltRequest } from '../../request/request.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import {
  type EarlierAnswer,
  expectedCost,
  getParts,
  maxCost,
  minCost,
  openingLength,
  promptAfter,
} from './expected-cost.ts';

interface ComparisonQuotesDeps {
  readonly getQuote: (ask: Ask, signal: AbortSignal | undefined) => Promise<Quote>;
  /** Returns the columns of the comparison at the end of the branch, each with the end of its own branch. */
  readonly columnsAt: (conversationId: string) => Promise<{ model: string; leafId: string }[]>;
  readonly capStates: (conversationId: string | null, uppers: readonly Upper[]) => Promise<CapState[]>;
}

/** Quotes a comparison: a quote for each model, and the sum of the known ones. */
export function comparisonQuotes({ getQuote, columnsAt, capStates }: ComparisonQuotesDeps) {
  return async function quote(
    { models, ...ask }: Omit<Ask, 'model'> & { readonly models?: readonly string[] | undefined },
    signal: AbortSignal | undefined,
  ): Promise<ComparisonQuote> {
    const asked = models?.map((model) => ({ model })) ?? (await columnsAt(ask.conversationId ?? ''));
    const columns = await Promise.all(
      asked.map(async (column) => ({ model: column.model, quote: await getQuote({ ...ask, ...column }, signal) })),
    );
    const quotes = columns.map((column) => column.quote);
    const paid = quotes.filter(({ simulated }) => !simulated);
    const inTestCredits = quotes.filter(({ simulated }) => simulated);
    const costUsd = getSum(paid);
    return {
      columns,
      costUsd,
      testCreditsUsd: getSum(inTestCredits),
      expectedUsd: getExpected(paid),
      expectedTestCreditsUsd: getExpected(inTestCredits),
      unknown: quotes.filter((quote) => quote.costUsd === null).length,
      caps: costUsd ? await capStates(ask.conversationId, getUppers(columns)) : [],
    };
  };
}

/**
 * Returns the sum of the expected costs. Quotes without a price are left out. Null if a quote with a price has no
 * expected cost.
 */
function getExpected(quotes: readonly Quote[]): string | null {
  const known = quotes.filter(({ costUsd }) => costUsd !== null);
  const amounts = known.flatMap(({ expected }) => (expected ? parseUsd(expected.usd) : []));
  if (known.length === 0 || amounts.length < known.length) return null;
  return formatUsd(nanoUsd(amounts.reduce((total, amount) => total + amount, 0n)));
}

const getUppers = (columns: readonly { readonly model: string; readonly quote: Quote }[]): Upper[] =>
  columns.flatMap(({ model, quote: { simulated, costUsd } }) =>
    costUsd && !simulated ? [{ model, upper: parseUsd(costUsd.high) }] : [],
  );

/** Returns the sum of the known ranges. Null if none is known, because an unknown cost is not $0. */
function getSum(quotes: readonly Quote[]): { low: string; high: string } | null {
  const known = quotes.flatMap(({ costUsd }) => costUsd ?? []);
  if (known.length === 0) return null;
  const sum = (end: 'low' | 'high') =>
    formatUsd(nanoUsd(known.reduce((total, range) => total + parseUsd(range[end]), 0n)));
  return { low: sum('low'), high: sum('high') };
}

/** How many image sizes are remembered, so that an image isn't read again for each quote. */
const maxKnownSizes = 1_000;
/** The largest PDF placeholder in bytes. The upper bound for a file of this size already fills any model's context. */
const maxPlaceholder = 40_000;

/**
 * Makes placeholders for files in a request that is only priced. A placeholder has the same estimated tokens, upper
 * bound and modality as the file, but the app needn't send megabytes each time the user pauses typing. Text is short
 * and sent as it is.
 */
export function placeholderFor(toPart: ToPart): ToPart {
  const sizes = new Map<string, PixelSize | null>();

  async function getSize(file: Attachment): Promise<PixelSize | null> {
    const known = sizes.get(file.id);
    if (known !== undefined) return known;
    const part = (await toPart(file))?.part;
    const size = part?.type === 'image_url' ? sizeOfDataUrl(part.image_url.url) : null;
    if (sizes.size >= maxKnownSizes) sizes.clear();
    sizes.set(file.id, size);
    return size;
  }

  return async (file) => {
    if (file.kind === 'image') {
      return { part: { type: 'image_url', image_url: { url: emptyPicture(await getSize(file)), detail: undefined } } };
    }
    return file.kind === 'pdf' ? getPdf(file) : toPart(file);
  };
}

/** Makes an empty GIF of the same size in pixels, because vendors count an image by its size. */
function emptyPicture(size: PixelSize | null): string {
  const bytes = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64');
  bytes.writeUInt16LE(Math.min(size?.width ?? 8_000, 0xffff), 6);
  bytes.writeUInt16LE(Math.min(size?.height ?? 8_000, 0xffff), 8);
  return `data:image/gif;base64,${bytes.toString('base64')}`;
}

/**
 * Makes a PDF whose page count matches the tokens as the gateway counts pages (wire contract §7). The padding makes up
 * for the tokens that are less than a page.
 */
function getPdf({ name, bytes, tokens }: Attachment): FilePart {
  const pages = Math.max(1, Math.floor(tokens / tokensPerPdfPage));
  const missing = Math.max(0, tokens - pages * tokensPerPdfPage);
  const header = Buffer.from(`%PDF-1.4\n1 0 obj <</Type/Pages/Count ${pages}>> endobj\n`);
  const data = Buffer.alloc(Math.max(header.length, Math.min(bytes, maxPlaceholder)), ' ');
  header.copy(data);
  const file_data = `data:application/pdf;base64,${data.toString('base64')}`;
  return {
    part: { type: 'file', file: { filename: name, file_data, file_id: undefined } },
    padding: ' a'.repeat(missing),
  };
}

/** A shorter answer wouldn't be useful. */
const minTokens = 50;
const limitMs = 3_000;

/**
 * Returns the longest answer, in tokens, whose upper bound the credits cover, if they don't cover the message. Null if
 * there is none.
 */
async function findAffordableTokens(
  { client }: Pick<Payer, 'client'>,
  price: Price,
  quote: Pick<Quote, 'obstacles' | 'promptTokens' | 'completionTokens' | 'searches'>,
): Promise<number | null> {
  if (!quote.obstacles.some(({ code }) => code === 'insufficient_credits')) return null;
  const available = await readAvailable(client);
  if (available === null) return null;
  const isAffordable = (high: number) => maxCost(price, { ...quote, completionTokens: { low: 0, high } }) <= available;
  let [low, high] = [0, quote.completionTokens.high];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isAffordable(middle)) low = middle;
    else high = middle - 1;
  }
  return low < minTokens ? null : roundDown(low);
}

/**
 * Rounds down to two digits. The number is easy to read, and the margin avoids a refusal if the prompt has a few more
 * tokens.
 */
const roundDown = (tokens: number): number => {
  const step = 10 ** Math.max(0, String(tokens).length - 2);
  return Math.floor(tokens / step) * step;
};

async function readAvailable(client: Payer['client']): Promise<bigint | null> {
  try {
    const { balance } = await client.account({ signal: AbortSignal.timeout(limitMs) });
    const available = balance?.available ?? balance?.amount;
    return available === undefined ? null : parseUsd(available);
  } catch {
    // Without a balance no shorter answer is offered. The quote shows the refusal anyway.
    return null;
  }
}

/** How long providers cache a prompt. */
const cacheMs = 5 * 60_000;

const servedBy = ({ servedProvider, servedModel }: Message): string => `${servedProvider}/${servedModel}`;

/**
 * Returns how many cached tokens to expect: the previous prompt, if the same model has just answered it and caches
 * prompts.
 */
function cachedIn(last: Message | undefined, served: string, promptTokens: number, now: number): number {
  if (!last?.usage?.cachedTokens || last.finishedAt === null || now - last.finishedAt > cacheMs) return 0;
  if (servedBy(last) !== served) return 0;
  return Math.min(promptTokens, last.usage.promptTokens);
}

/**
 * Whether a server counted more tokens for the last question than this prompt can have. Then the server adds
 * instructions of its own, and the cost has no upper bound.
 */
const addsInstructions = (last: Message | undefined, served: string, maxTokens: number): boolean =>
  !!last?.usage && searchesIn(last.bill) === 0 && servedBy(last) === served && last.usage.promptTokens > maxTokens;

export interface QuotesDeps extends CoreContext, Naming {
  readonly messages: Pick<MessageStore, 'branch' | 'answerLengths' | 'usualSearch'>;
  readonly getLeaf: (conversationId: string) => Promise<string | null>;
  readonly connections: Connections;
  readonly build: (
    input: {
      conversationId: string | null;
      folderId?: string | null | undefined;
      newChat?: string | null | undefined;
      branch: readonly Pick<Message, 'id' | 'role' | 'text' | 'attachments' | 'status'>[];
      model: string;
    },
    toPart: ToPart,
  ) => Promise<BuiltRequest>;
  /** Converts a file as it will be sent. */
  readonly toPart: ToPart;
  readonly capStates: (conversationId: string | null, uppers: readonly Upper[]) => Promise<CapState[]>;
}

export interface Ask {
  readonly conversationId: string | null;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly model: string;
  /** The message that the question goes below. Without it, the end of the shown branch. */
  readonly leafId?: string;
  /** The folder of a new conversation. */
  readonly folderId?: string | null | undefined;
  /** The key of a window's new chat. A new conversation takes over its options. */
  readonly newChat?: string | null | undefined;
}

type Priced = Pick<
  Quote,
  | 'source'
  | 'byok'
  | 'promptTokens'
  | 'completionTokens'
  | 'searches'
  | 'costUsd'
  | 'openEnded'
  | 'pricesAsOf'
  | 'obstacles'
> & { readonly served: string; readonly mayBeCached: boolean };

const usualAnswer = 4096;
/** How many earlier answers are used to predict the next one: of this chat, and of the model in other chats. */
const answersLookedAt = { here: 12, elsewhere: 200 };
/** The tokens that the formatting of a few messages may add. */
const frameTokens = 200;
/** How long to wait before a gateway without `/v1/quote` is asked again. */
const forgetMs = 10 * 60_000;

/** Quotes the next message: the gateway’s own quote, or an estimate. */
export function quotesFeature(deps: QuotesDeps) {
  const { messages, getLeaf, connections, modelFacts, build, toPart, capStates, now } = deps;
  const withoutQuotes = new Map<string, number>();
  /** Parsed prices by the catalogue's price object, because a quote is needed at each pause in typing. */
  const prices = new WeakMap<object, Price>();
  const placeholder = placeholderFor(toPart);

  async function price(
    body: CompletionRequestBody,
    signal: AbortSignal | undefined,
  ): Promise<Priced & { payer: Payer }> {
    const payer = await connections.payerFor(body.model ?? '');
    if ((withoutQuotes.get(payer.source) ?? 0) > now()) return { ...estimate(body, []), payer };
    try {
      const quote = await payer.client.quote(body, signal ? { signal } : {});
      return { ...fromGatewayQuote(quote, getPrice(quote.routing.selected)), payer };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      if (isLacking(error)) {
        withoutQuotes.set(payer.source, now() + forgetMs);
        return { ...estimate(body, []), payer };
      }
      // A rate limit of the quote is no obstacle for the message.
      if (error.status_code === 429) return { ...estimate(body, []), payer };
      return { ...estimate(body, [obstacle(toAppError(fromGateway(error, deps)))]), payer };
    }
  }

  function getPrice(model: string): Price | null {
    const pricing = modelFacts(model)?.record.pricing;
    if (!pricing) return null;
    const known = prices.get(pricing) ?? parsePricing(pricing);
    prices.set(pricing, known);
    return known;
  }

  function estimate(body: CompletionRequestBody, obstacles: Quote['obstacles']): Priced {
    const record = modelFacts(body.model ?? '')?.record ?? null;
    const asked = estimateInputTokens(body.messages, undefined);
    const searches = body.web_search_options === undefined ? 0 : 1;
    const found = searches * tokensPerSearch;
    const high = Math.max(asked, getMaxTokens(body, record)) + found;
    const tokens = {
      promptTokens: { low: Math.floor(asked / 2), estimate: asked + found, high },
      completionTokens: {
        low: 0,
        high: body.max_tokens ?? Math.min(usualAnswer, record?.max_output_tokens ?? usualAnswer),
      },
      searches,
    };
    const known = getPrice(body.model ?? '');
    return {
      source: 'estimate',
      byok: false,
      ...tokens,
      costUsd: known && { low: formatUsd(minCost(known, tokens)), high: formatUsd(maxCost(known, tokens)) },
      openEnded: body.max_tokens == null,
      pricesAsOf: record?.pricing?.as_of ?? null,
      obstacles,
      served: body.model ?? '',
      mayBeCached: record?.capabilities.includes('prompt_cache') ?? false,
    };
  }

  /** Returns earlier answers, oldest first. Those of this chat come last, because later ones count more. */
  async function earlierAnswers(
    branch: readonly Message[],
    conversationId: string | null,
    served: string,
  ): Promise<EarlierAnswer[]> {
    const elsewhere = await messages.answerLengths(served, conversationId, answersLookedAt.elsewhere, openingLength);
    const here = branch.flatMap((entry, index): EarlierAnswer[] => {
      if (!isAnswer(entry) || entry.usage === null) return [];
      const question = branch.slice(0, index).findLast(({ role }) => role === 'user')?.text ?? '';
      const { completionTokens, imageTokens = 0 } = entry.usage;
      return [{ completionTokens, imageTokens, here: true, question, questionLength: question.length }];
    });
    return [...elsewhere.map((answer) => ({ ...answer, here: false })), ...here.slice(-answersLookedAt.here)];
  }

  /**
   * Returns what a web search of this model usually finds. Without earlier searches, that is the most that one search
   * finds.
   */
  async function expectedSearch(maxSearches: number, served: string): Promise<ExpectedSearch> {
    if (maxSearches === 0) return { guessed: 0, foundTokens: 0, searches: 0 };
    const usual = await messages.usualSearch(served, answersLookedAt.elsewhere);
    return { guessed: tokensPerSearch, ...(usual ?? { foundTokens: tokensPerSearch, searches: 1 }) };
  }

  return {
    async get(ask: Ask, signal: AbortSignal | undefined): Promise<Quote> {
      const { conversationId, folderId, newChat, text, attachments, model } = ask;
      const leafId = ask.leafId ?? (conversationId === null ? null : await getLeaf(conversationId));
      const branch = conversationId === null ? [] : await messages.branch(conversationId, leafId);
      // An empty composer is quoted too, because it shows how full the context is.
      const words = text.trim() === '' && attachments.length === 0 ? '?' : text;
      const question = { ...asked, text: words, attachments: [...attachments] };
      const { body, context, unread, projectUnread } = await build(
        { conversationId, folderId, newChat, branch: [...branch, question], model },
        placeholder,
      );
      const { payer, served, mayBeCached, ...priced } = await price(body, signal);
      const facts = modelFacts(served);
      const known = getPrice(served);
      const answers = branch.filter(isAnswer);
      const search = await expectedSearch(priced.searches, served);
      const promptTokens = getPromptTokens(priced.promptTokens, search, branch, served, context, body);
      const cachedTokens = mayBeCached ? cachedIn(answers.at(-1), served, promptTokens.estimate, now()) : 0;
      const simulated = facts?.simulated ?? payer.billingAccount === 'sandbox';
      const costUsd = known || facts?.record.kind === 'router' ? priced.costUsd : null;
      return {
        ...priced,
        promptTokens,
        openEnded: priced.openEnded || addsInstructions(branch.at(-1), served, priced.promptTokens.high),
        modelName: facts?.name ?? served,
        simulated,
        cachedTokens,
        costUsd,
        pricesEntered: isEnteredPrice(facts?.record.pricing?.source ?? null),
        parts: known && costUsd ? getParts(known, priced, parseUsd(costUsd.high)) : [],
        expected:
          known && costUsd
            ? expectedCost({
                price: known,
                promptTokens: promptTokens.estimate,
                cachedTokens,
                searches: search.searches,
                question: words,
                answers: await earlierAnswers(branch, conversationId, served),
              })
            : null,
        affordableTokens: known && (await findAffordableTokens(payer, known, priced)),
        obstacles: [...priced.obstacles, ...unread.map(unreadObstacle)],
        caps:
          costUsd && !simulated
            ? await capStates(conversationId, [{ model: served, upper: parseUsd(costUsd.high) }])
            : [],
        context: { ...context, notSentIds: context.notSentIds.filter((id) => id !== asked.id) },
        leftOutFiles: projectUnread.map(({ name }) => name),
      };
    },

    /**
     * Returns the upper bound of a request in nano-USD of real money, and the model that answers. Null for test credits
     * or an unknown price.
     */
    async upperBound({ body }: Pick<BuiltRequest, 'body'>): Promise<Upper | null> {
      const { payer, served, costUsd } = await price(body, undefined);
      const facts = modelFacts(served);
      if (facts?.simulated ?? payer.billingAccount === 'sandbox') return null;
      return costUsd && facts?.record.pricing ? { model: served, upper: parseUsd(costUsd.high) } : null;
    },

    /** Returns the cost range of a request other than a message. Null for an unknown price. */
    getRange: async (body: CompletionRequestBody): Promise<{ low: string; high: string } | null> =>
      (await price(body, undefined)).costUsd,

    placeholder,
  };
}

const isAnswer = ({ role, status }: Message): boolean => role === 'assistant' && status === 'done';

const asked = { id: 'question', role: 'user', status: 'done' } as const;

function fromGatewayQuote(quote: GatewayQuote, price: Price | null): Priced {
  const { prompt, completion, cached, searches } = quote.tokens;
  const tokens = { promptTokens: prompt, completionTokens: completion, searches: searches?.high ?? 0 };
  return {
    source: 'gateway',
    byok: quote.byok,
    ...tokens,
    costUsd: quote.prices_as_of === null ? null : quote.byok ? ownKeyCost(quote, price, tokens) : quote.cost_usd,
    openEnded: quote.open_ended,
    pricesAsOf: quote.prices_as_of,
    obstacles: quote.limits.map(({ code, message }) => ({ code, ...quoteGateway(code, message) })),
    served: quote.routing.selected,
    mayBeCached: cached.high > 0,
  };
}

interface ExpectedSearch {
  /** How many tokens of the estimate stand for search results. */
  readonly guessed: number;
  readonly foundTokens: number;
  readonly searches: number;
}

/**
 * Improves the gateway's estimate of the prompt with the provider's count for the last answer and with the results of
 * earlier searches.
 */
function getPromptTokens(
  priced: Quote['promptTokens'],
  { guessed, foundTokens }: ExpectedSearch,
  branch: readonly Message[],
  served: string,
  { notSentIds, summarises }: BuiltRequest['context'],
  body: CompletionRequestBody,
): Quote['promptTokens'] {
  const within = (estimate: number) => Math.min(priced.high, Math.max(priced.low, estimate + foundTokens));
  const counted = { ...priced, estimate: within(priced.estimate - guessed) };
  const last = branch.at(-1);
  if (last?.status !== 'done' || !last.usage || servedBy(last) !== served) return counted;
  if (notSentIds.length > 0 || summarises) return counted;
  // The last count includes search results, which aren't sent again.
  if (searchesIn(last.bill) > 0) return counted;
  const before = estimateInputTokens(body.messages.slice(0, -2), undefined);
  if (!canBeSamePrompt(last.usage.promptTokens, before)) return counted;
  const expected = promptAfter(last.usage, estimateInputTokens(body.messages.slice(-1), undefined));
  return { ...counted, estimate: within(expected) };
}

/**
 * Whether the last bill and our count can be of the same prompt. If not, instructions or files have been added or
 * removed since. Our count is at most double the provider's, and for short prompts the formatting of the messages
 * matters more than that.
 */
const canBeSamePrompt = (billed: number, counted: number): boolean =>
  billed <= counted + frameTokens && counted <= 2 * billed + frameTokens;

const obstacle = (error: AppError) => ({ code: error.code, ...getProblemText(error) });
const unreadObstacle = ({ name, kind }: Attachment) =>
  obstacle(refusal('unsupported_modality', 'removeUnread', { kind, file: name }));

interface Record {
  readonly id: string;
  readonly context_length?: number | null | undefined;
}

/** Returns the upper bound of a request's input tokens, for a gateway without quotes. */
function getMaxTokens(body: CompletionRequestBody, record: Record | null): number {
  const [provider = '', ...model] = (record?.id ?? body.model ?? '').split('/');
  const size = measureInput({ messages: body.messages as ChatMessage[], parameters: {} });
  return maxInputTokens(size, { provider, model: model.join('/'), contextLength: record?.context_length ?? null });
}

/**
 * Adds the provider's list price to the quote of a request with the user's own key. The gateway quotes only its fee,
 * because the provider bills the user directly.
 */
function ownKeyCost(
  { cost_usd: fee }: Pick<GatewayQuote, 'cost_usd'>,
  price: Price | null,
  tokens: Parameters<typeof maxCost>[1],
): Quote['costUsd'] {
  if (price === null) return null;
  const withFee = (providerCost: bigint, feeUsd: string) => formatUsd(nanoUsd(providerCost + parseUsd(feeUsd)));
  return { low: withFee(minCost(price, tokens), fee.low), high: withFee(maxCost(price, tokens), fee.high) };
}
