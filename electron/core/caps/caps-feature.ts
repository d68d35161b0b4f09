import { type CapScope, type CapState, type Caps, caps as schema } from '#shared/contract/chat/caps.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { SpendStore } from '../costs/spend-store.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import type { Changes } from '../streams/change-topics.ts';
import { capStates } from './cap-states.ts';

export interface CapsDeps {
  readonly store: SettingsStore;
  readonly spend: SpendStore;
  readonly changes: Changes;
  readonly now: () => number;
}

interface Reservation {
  readonly conversationId: string;
  readonly upper: bigint;
  readonly at: number;
}

const name = 'caps';
const none: Caps = { message: null, conversation: null, day: null, month: null };
/** The reservation of a request that was admitted and never stored ends after this. */
const patienceMs = 60_000;

/** Spending caps and what is spent. Test credits are not money and do not count. */
export function capsFeature({ store, spend, changes, now }: CapsDeps) {
  const reserved = new Map<string, Reservation>();

  async function read(): Promise<Caps> {
    const kept = schema.safeParse(await store.read(name));
    return kept.success ? kept.data : none;
  }

  /** What running answers may still cost; an answer with a known cost counts as spent. */
  async function running(conversationId: string | null): Promise<bigint> {
    const open = await spend.open([...reserved.keys()]);
    let sum = 0n;
    for (const [id, reservation] of reserved) {
      const waits = open.get(id) ?? now() - reservation.at < patienceMs;
      if (!waits) reserved.delete(id);
      else if (conversationId === null || reservation.conversationId === conversationId) sum += reservation.upper;
    }
    return sum;
  }

  async function spentOn(conversationId: string | null) {
    const { day, month } = periodsOf(now());
    const [all, here, ofDay, ofMonth, ofChat] = await Promise.all([
      running(null),
      conversationId === null ? 0n : running(conversationId),
      spend.since(day),
      spend.since(month),
      conversationId === null ? 0n : spend.ofConversation(conversationId),
    ]);
    return { message: 0n, conversation: ofChat + here, day: ofDay + all, month: ofMonth + all };
  }

  return {
    async get() {
      const { day, month } = periodsOf(now());
      const [ofDay, ofMonth] = await Promise.all([spend.since(day), spend.since(month)]);
      return { caps: await read(), spentUsd: { day: formatUsd(nanoUsd(ofDay)), month: formatUsd(nanoUsd(ofMonth)) } };
    },

    async set(caps: Caps): Promise<void> {
      await store.write(name, caps);
      changes.emit('caps');
    },

    any: async (): Promise<boolean> => Object.values(await read()).some((cap) => cap !== null),

    /** The caps that a message of this size comes near or may exceed. */
    async stateOf(conversationId: string | null, upper: bigint): Promise<CapState[]> {
      const caps = await read();
      if (Object.values(caps).every((cap) => cap === null)) return [];
      const limits = Object.fromEntries(
        Object.entries(caps).map(([scope, cap]) => [scope, cap === null ? null : parseUsd(cap)]),
      ) as Record<CapScope, bigint | null>;
      return capStates(limits, await spentOn(conversationId), upper);
    },

    reserve(id: string, conversationId: string, upper: bigint): void {
      reserved.set(id, { conversationId, upper, at: now() });
    },
  };
}

/** The start of the current UTC day and month. */
function periodsOf(timeMs: number): { day: number; month: number } {
  const date = new Date(timeMs);
  return {
    day: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()),
    month: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1),
  };
}
