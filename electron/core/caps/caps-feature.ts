import type { CapScope, CapState, Caps, CapsNow } from '#shared/contract/chat/caps.ts';
import { toAppError } from '#shared/errors.ts';
import { parseUsd } from '#shared/money.ts';
import type { Connections } from '../connection/connections.ts';
import type { SpendStore } from '../costs/spend-store.ts';
import { readCaps, writeCaps } from '../settings/caps-store.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import type { Changes } from '../streams/change-topics.ts';
import { accountSpend } from './account-spend.ts';
import { capStates, meterOf, usd } from './cap-states.ts';

export interface CapsDeps {
  readonly store: SettingsStore;
  readonly spend: SpendStore;
  readonly connections: Pick<Connections, 'wallet' | 'mode'>;
  /** Tells the built-in gateway, which refuses other programs by the caps of a day and a month. */
  readonly limitPrograms: () => Promise<void>;
  readonly changes: Changes;
  readonly now: () => number;
}

interface Reservation {
  readonly conversationId: string;
  readonly upper: bigint;
  readonly at: number;
}

/** The reservation of a request that was admitted and never stored ends after this. */
const patienceMs = 60_000;

/** Spending caps and what is spent. Test credits are not money and do not count. */
export function capsFeature({ store, spend, connections, limitPrograms, changes, now }: CapsDeps) {
  const reserved = new Map<string, Reservation>();

  const read = () => readCaps(store);

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

  /** Of the whole account where its gateway tells that, and of what this app has paid elsewhere; else of this app alone. */
  async function spentNow() {
    const periods = periodsOf(now());
    const account = await accountSpend(connections, periods);
    const except = account?.source ?? null;
    const [day, month] = await Promise.all([spend.since(periods.day, except), spend.since(periods.month, except)]);
    return {
      day: day + (account?.day ?? 0n),
      month: month + (account?.month ?? 0n),
      held: account?.held ?? 0n,
      whole: account !== null,
    };
  }

  async function spentOn(conversationId: string | null) {
    const [own, here, all, ofChat] = await Promise.all([
      running(null),
      conversationId === null ? 0n : running(conversationId),
      spentNow(),
      conversationId === null ? 0n : spend.ofConversation(conversationId),
    ]);
    // What this app has admitted is held by the gateway too, as soon as it is sent.
    const open = own > all.held ? own : all.held;
    return { message: 0n, conversation: ofChat + here, day: all.day + open, month: all.month + open };
  }

  return {
    async get(): Promise<CapsNow> {
      const [caps, { day, month, whole }] = await Promise.all([read(), spentNow()]);
      const meters = [meterOf('day', caps.day, day), meterOf('month', caps.month, month)];
      return {
        caps,
        meters: meters.flatMap((meter) => meter ?? []),
        spentUsd: { day: usd(day), month: usd(month) },
        whole,
      };
    },

    async set(caps: Caps): Promise<void> {
      await writeCaps(store, caps);
      changes.emit('caps');
      await limitPrograms().catch((error: unknown) => {
        // While another server has the books, they are limited as soon as they are opened here.
        if (toAppError(error).code !== 'database_in_use') throw error;
      });
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
