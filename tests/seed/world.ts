import { ulid } from 'ulid';
import { type NanoUsd, nanoUsd } from '#shared/money.ts';
import { getCost, noTokens, type TokenUsage } from '#shared/price.ts';
import type { CatalogueModel } from '../../gateway/models/catalogue/catalogue.ts';
import { writer } from './prose.ts';
import type { Random } from './random.ts';
import { type Subject, subjects } from './vocabulary.ts';

export interface WorldSize {
  readonly conversations: number;
  /** The messages of all conversations together. */
  readonly messages: number;
  /** The messages of one more, long conversation; 0 for none. */
  readonly long: number;
}

/** One request in the gateway's ledger. A `conversationId` of null means another program's request. */
export interface SeedRequest {
  readonly id: string;
  readonly model: CatalogueModel;
  readonly status: 'succeeded' | 'failed' | 'cancelled';
  readonly usage: TokenUsage;
  readonly charge: NanoUsd;
  readonly created: number;
  readonly ended: number;
  readonly firstTokenMs: number | null;
  readonly conversationId: string | null;
}

export interface SeedMessage {
  readonly id: string;
  readonly parentId: string | null;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly reasoning: string;
  readonly created: number;
  readonly request: SeedRequest | null;
}

export interface SeedConversation {
  readonly id: string;
  readonly title: string;
  readonly subject: Subject;
  readonly messages: readonly SeedMessage[];
  readonly activeLeaf: string;
  readonly pinned: boolean;
  readonly archived: boolean;
  readonly inFolder: boolean;
}

const dayMs = 86_400_000;
const months = 8;

export interface World {
  readonly random: Random;
  readonly models: readonly CatalogueModel[];
  readonly nowMs: number;
  /** How many of the conversations are pinned: a few, however many there are. */
  readonly pinned: number;
}

/** Yields conversations from the oldest to the newest, with more of them near the present. */
export function* conversations(world: World, size: WorldSize): Generator<SeedConversation, void> {
  const { random, nowMs } = world;
  const shares = getShares(random, size);
  const ages = shares.map(() => Math.round(random.next() ** 2 * months * 30 * dayMs)).sort((a, b) => b - a);
  for (const [index, messages] of shares.entries()) {
    const spanMs = messages * 90_000;
    yield conversation(world, messages, nowMs - (ages[index] ?? 0) - spanMs - 60_000);
  }
  if (size.long > 0) yield conversation(world, size.long, nowMs - size.long * 91_000, 'The long one');
}

/**
 * Decides how many messages each conversation has: at least two, some far more, and together
 * exactly the requested number.
 */
function getShares(random: Random, { conversations: count, messages }: WorldSize): number[] {
  const weights = Array.from({ length: count }, () => random.next() ** 4 + 0.02);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const spare = messages - 2 * count;
  const shares = weights.map((weight) => 2 + Math.floor((spare * weight) / sum));
  for (
    let unassigned = messages - shares.reduce((total, share) => total + share, 0), index = 0;
    unassigned > 0;
    unassigned--, index++
  ) {
    shares[index % count] = (shares[index % count] ?? 0) + 1;
  }
  return shares;
}

function conversation(world: World, count: number, begin: number, title?: string): SeedConversation {
  const { random } = world;
  const subject = random.pick(subjects);
  const write = writer(random, subject);
  const id = ulid(begin, random.next);
  const messages: SeedMessage[] = [];
  const model = random.often(world.models);
  let time = begin;
  let leaf: string | null = null;
  let context = 0;
  let last: SeedRequest | null = null;
  let question: SeedMessage | null = null;
  while (messages.length < count) {
    time += random.between(20_000, 80_000);
    const again: boolean = question !== null && messages.length > 2 && random.chance(0.08);
    if (!again) {
      question = {
        id: ulid(time, random.next),
        parentId: leaf,
        role: 'user',
        text: write.question(),
        reasoning: '',
        created: time,
        request: null,
      };
      messages.push(question);
      leaf = question.id;
      if (messages.length === count) break;
      time += 500;
    }
    const text = write.answer();
    const asked = again ? random.pick(world.models) : model;
    const sentBefore: number = last?.model === asked ? last.usage.promptTokens : 0;
    const request = requestFor(world, asked, { id, created: time, context, sentBefore, text });
    const answer: SeedMessage = {
      id: ulid(time, random.next),
      parentId: question?.id ?? null,
      role: 'assistant',
      text: request.status === 'failed' ? '' : request.status === 'cancelled' ? text.slice(0, text.length / 2) : text,
      reasoning:
        request.usage.reasoningTokens > 0 ? `The user asks about the ${subject.name}. ${write.question()}` : '',
      created: time,
      request,
    };
    messages.push(answer);
    leaf = answer.id;
    // Reasoning isn't sent again.
    context = Math.min(context + request.usage.completionTokens - request.usage.reasoningTokens + 60, 60_000);
    last = request;
    time = request.ended;
  }
  return {
    id,
    subject,
    messages,
    activeLeaf: leaf ?? '',
    title: title ?? write.title(),
    pinned: random.chance(world.pinned),
    archived: title === undefined && random.chance(0.08),
    inFolder: title === undefined && random.chance(0.3),
  };
}

interface Asked {
  readonly id: string | null;
  readonly created: number;
  /** The tokens of the conversation so far. */
  readonly context: number;
  /** The tokens that the same model got for the answer before, which its provider has cached. */
  readonly sentBefore: number;
  readonly text: string;
}

/** Makes a request with the tokens that its text has, and their cost at the model's price. */
export function requestFor({ random }: World, model: CatalogueModel, asked: Asked): SeedRequest {
  const status = random.chance(0.01) ? 'failed' : random.chance(0.02) ? 'cancelled' : 'succeeded';
  const written = Math.ceil(asked.text.length / (status === 'cancelled' ? 8 : 4));
  const reasoning = model.capabilities.includes('reasoning') && random.chance(0.3) ? random.between(60, 900) : 0;
  const prompt = asked.context + random.between(20, 90);
  const sent = Math.min(asked.sentBefore, asked.context);
  const cached = sent > 1024 ? sent - (sent % 128) : 0;
  const usage: TokenUsage =
    status === 'failed'
      ? noTokens
      : {
          promptTokens: prompt,
          completionTokens: written + reasoning,
          cachedTokens: cached,
          cacheWriteTokens: 0,
          reasoningTokens: reasoning,
        };
  const firstTokenMs = random.between(180, 1400);
  return {
    id: `req_${ulid(asked.created, random.next)}`,
    model,
    status,
    usage,
    firstTokenMs: status === 'failed' ? null : firstTokenMs,
    charge: status === 'failed' || !model.price ? nanoUsd(0n) : getCost(model.price, usage),
    created: asked.created,
    ended: asked.created + firstTokenMs + Math.round((usage.completionTokens / random.between(40, 120)) * 1000),
    conversationId: asked.id,
  };
}
