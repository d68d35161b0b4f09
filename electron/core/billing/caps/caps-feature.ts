import { GatewayError, isLacking } from '#shared/client/gateway-error.ts';
import {
  type CapMeter,
  type CapState,
  type Caps,
  type CapsNow,
  type OutsideLimit,
  caps as schema,
} from '#shared/contract/chat/caps.ts';
import { toAppError } from '#shared/errors.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { getLeft, type SpendingLimit } from '#shared/spending-limit.ts';
import type { Connections } from '../../gateways/connection/connections.ts';
import type { Upper } from '../../request/admission.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import type { SettingsStore } from '../../storage/settings/settings-store.ts';
import { countUnknown, getPersonCost } from '../costs/cost.ts';
import type { SpendStore } from '../costs/spend-store.ts';
import { modelSpend } from './model-spend.ts';

const name = 'caps';
const none: Caps = { message: null, conversation: null, day: null, month: null, models: {} };

/** Reads the spending caps that the person has set. */
export async function readCaps(store: SettingsStore): Promise<Caps> {
  const stored = schema.safeParse(await store.read(name));
  return stored.success ? stored.data : none;
}

const writeCaps = (store: SettingsStore, caps: Caps): Promise<void> => store.write(name, caps);

const usd = (amount: bigint) => formatUsd(nanoUsd(amount));

const getSum = (uppers: readonly Upper[]): bigint => uppers.reduce((sum, { upper }) => sum + upper, 0n);

/** A limit that the person has set: for a message, a conversation, everything in a day or month, or a model in a month. */
type PersonLimit =
  | SpendingLimit<'message' | 'conversation' | 'model'>
  | (SpendingLimit<'account'> & { readonly period: 'day' | 'month' });

/** The contract names a limit for everything after its period. */
const toCapScope = (limit: PersonLimit) => (limit.scope === 'account' ? limit.period : limit.scope);

/** Returns the limits that these simultaneous answers come near (80 %) or may exceed. */
export const capStates = (limits: readonly PersonLimit[], uppers: readonly Upper[]): CapState[] =>
  limits.flatMap((limit) => {
    const left = getLeft(limit) - getSum(limit.scope === 'model' ? getUppers(uppers, limit.id) : uppers);
    if (left * 5n > limit.limit) return [];
    return {
      scope: toCapScope(limit),
      model: limit.id,
      capUsd: usd(limit.limit),
      spentUsd: usd(limit.used + limit.held),
      afterUsd: usd(limit.limit - left),
      state: left < 0n ? ('over' as const) : ('near' as const),
    };
  });

const getUppers = <Answer extends Upper>(uppers: readonly Answer[], model: string | null): Answer[] =>
  uppers.filter((answer) => answer.model === model);

/** Returns how much of the limits for a period is used, without what running answers may still cost. */
export const getMeters = (limits: readonly PersonLimit[]): CapMeter[] =>
  limits.flatMap((own) => {
    const scope = toCapScope(own);
    if (scope === 'message' || scope === 'conversation') return [];
    const { limit, used } = own;
    const state = used >= limit ? 'full' : used * 5n >= limit * 4n ? 'near' : 'free';
    // Divides integers, because a float would round the amounts first.
    const share = limit === 0n ? 1 : Number((used * 1000n) / limit) / 1000;
    return { scope, model: own.id, capUsd: usd(limit), spentUsd: usd(used), share, state };
  });

/** Amounts in nano-USD. */
interface AccountSpend {
  /** The account's name in the app's own records. */
  readonly source: string;
  /** Since the start of the current UTC day or month: charges, plus what providers billed to the person's own keys. */
  readonly day: bigint;
  readonly month: bigint;
  /** Requests of unknown cost since then. */
  readonly unknown: { readonly day: number; readonly month: number };
  /** The upper bound of what the running requests may still cost. */
  readonly held: bigint;
}

/** Whether the gateway doesn't report the spend, or not to this key. */
const isUnreported = (error: unknown): boolean =>
  isLacking(error) || (error instanceof GatewayError && error.code === 'insufficient_scope');

/** A slow gateway must not keep anybody from sending a message. */
const limitMs = 3_000;

/**
 * Reads what the account's requests cost the person, from the gateway's own ledger, so that other programs are
 * included. `app` if the gateway doesn't report it, `silent` if it doesn't answer.
 */
async function accountSpend(
  connections: Pick<Connections, 'billingAccount' | 'mode'>,
  periods: { readonly day: number; readonly month: number },
): Promise<AccountSpend | 'app' | 'silent'> {
  const signal = AbortSignal.timeout(limitMs);
  try {
    const { client, source } = await connections.billingAccount('main');
    const usage = await client.usage({ group_by: 'day', start: periods.month / 1000 }, { signal });
    const month = getPersonCost(usage.totals);
    if (month === null || usage.grouped === false || usage.period === null) return 'app';
    const today = new Date(periods.day).toISOString().slice(0, 10);
    const bucket = usage.data.find((entry) => entry.day === today);
    const day = bucket ? getPersonCost(bucket) : 0n;
    if (day === null) return 'app';
    const { balance } = await client.account({ signal });
    const held = parseUsd(balance?.held ?? '0');
    return {
      source,
      day,
      month,
      unknown: { day: bucket ? countUnknown(bucket, source) : 0, month: countUnknown(usage.totals, source) },
      held,
    };
  } catch (error) {
    // Whatever the error, the app falls back to its own records, and the page shows that.
    return isUnreported(error) ? 'app' : 'silent';
  }
}

export interface CapsDeps extends CoreContext {
  readonly spend: SpendStore;
  readonly connections: Pick<Connections, 'billingAccount' | 'mode'>;
  /** Limits of the built-in gateway, which apply the app's day, month and model caps to other programs too. */
  readonly programLimits: {
    /** Copies the app's caps to the account's limits, except those that somebody else has set. */
    readonly write: () => Promise<void>;
    readonly takeOver: () => Promise<void>;
    readonly setOutside: () => Promise<OutsideLimit[]>;
  };
}

interface Reservation extends Upper {
  readonly conversationId: string;
  readonly at: number;
}

/** Drops the reservation of an admitted request that was never stored after this time. */
const patienceMs = 60_000;

/** Keeps the spending caps and what was spent against them. Test credits are not money and don't count. */
export function capsFeature({ settings, spend, connections, programLimits, changes, now }: CapsDeps) {
  const reserved = new Map<string, Reservation>();

  const read = () => readCaps(settings);

  /** Returns the running answers with their maximum cost. An answer whose cost is known counts as spent instead. */
  async function running(): Promise<Reservation[]> {
    const open = await spend.open([...reserved.keys()]);
    for (const [id, { at }] of reserved) if (!(open.get(id) ?? now() - at < patienceMs)) reserved.delete(id);
    return [...reserved.values()];
  }

  /**
   * Counts the whole account if its gateway reports that, plus what this app spent on other accounts. Otherwise counts
   * only this app.
   */
  async function spentNow() {
    const periods = getPeriods(now());
    const found = await accountSpend(connections, periods);
    const account = typeof found === 'string' ? null : found;
    const except = account?.source ?? null;
    const [day, month, unknownDay, unknownMonth] = await Promise.all([
      spend.since(periods.day, except),
      spend.since(periods.month, except),
      spend.unknownSince(periods.day, except),
      spend.unknownSince(periods.month, except),
    ]);
    return {
      day: day + (account?.day ?? 0n),
      month: month + (account?.month ?? 0n),
      held: account?.held ?? 0n,
      unknown: {
        day: unknownDay + (account?.unknown.day ?? 0),
        month: unknownMonth + (account?.unknown.month ?? 0),
      },
      counts: typeof found === 'string' ? found : ('account' as const),
    };
  }

  /** Returns the limits that the person has set, those of models only for these models, and what counts against them. */
  async function readLimits(caps: Caps, conversationId: string | null, models: readonly string[]) {
    // An answer that ends meanwhile is counted twice rather than not at all.
    const reservations = await running();
    const [spent, ofChat, ofModels] = await Promise.all([
      spentNow(),
      conversationId === null ? 0n : spend.ofConversation(conversationId),
      models.length === 0 ? null : modelSpend({ connections, spend }, getPeriods(now()).month),
    ]);
    const here = getSum(reservations.filter((reservation) => reservation.conversationId === conversationId));
    const own = getSum(reservations);
    // The gateway holds a request of this app too once it is sent. Adding both sums would count it twice.
    const held = own > spent.held ? own : spent.held;
    const limits: PersonLimit[] = [];
    const add = (cap: string | null | undefined, toLimit: (limit: bigint) => PersonLimit) => {
      if (typeof cap === 'string') limits.push(toLimit(parseUsd(cap)));
    };
    const once = { period: null, id: null } as const;
    add(caps.message, (limit) => ({ scope: 'message', ...once, limit, used: 0n, held: 0n }));
    add(caps.conversation, (limit) => ({ scope: 'conversation', ...once, limit, used: ofChat, held: here }));
    for (const period of ['day', 'month'] as const) {
      add(caps[period], (limit) => ({ scope: 'account', period, id: null, limit, used: spent[period], held }));
    }
    for (const id of models) {
      const [used, held] = [ofModels?.get(id) ?? 0n, getSum(getUppers(reservations, id))];
      add(caps.models[id], (limit) => ({ scope: 'model', period: 'month', id, limit, used, held }));
    }
    return { limits, spent };
  }

  return {
    async get(): Promise<CapsNow> {
      const caps = await read();
      const [{ limits, spent }, setOutside] = await Promise.all([
        readLimits(caps, null, Object.keys(caps.models)),
        whereOpen(programLimits.setOutside, null),
      ]);
      const { day, month, unknown, counts } = spent;
      return {
        caps,
        meters: getMeters(limits),
        spentUsd: { day: usd(day), month: usd(month) },
        unknown,
        counts,
        setOutside,
      };
    },

    async set(caps: Caps): Promise<void> {
      await writeCaps(settings, caps);
      changes.emit('caps');
      // If another server has the ledger open, the limits are written when it is opened here.
      await whereOpen(programLimits.write, undefined);
    },

    async takeOver(): Promise<void> {
      await programLimits.takeOver();
      changes.emit('caps');
    },

    any: async (): Promise<boolean> => hasAny(await read()),

    /** Returns the caps that these simultaneous answers come near or may exceed. */
    async getState(conversationId: string | null, uppers: readonly Upper[]): Promise<CapState[]> {
      const caps = await read();
      if (!hasAny(caps)) return [];
      const models = new Set(uppers.flatMap(({ model }) => (caps.models[model] === undefined ? [] : [model])));
      const { limits } = await readLimits(caps, conversationId, [...models]);
      return capStates(limits, uppers);
    },

    reserve(id: string, conversationId: string, { model, upper }: Upper): void {
      reserved.set(id, { conversationId, model, upper, at: now() });
    },
  };
}

/** Runs the work, or returns the fallback if another server has the ledger open. */
async function whereOpen<Result, Otherwise>(
  work: () => Promise<Result>,
  otherwise: Otherwise,
): Promise<Result | Otherwise> {
  try {
    return await work();
  } catch (error) {
    if (toAppError(error).code === 'database_in_use') return otherwise;
    throw error;
  }
}

const hasAny = ({ models, ...scoped }: Caps): boolean =>
  Object.keys(models).length > 0 || Object.values(scoped).some((cap) => cap !== null);

/** Returns the start of the current UTC day and month. */
function getPeriods(timeMs: number): { day: number; month: number } {
  const date = new Date(timeMs);
  return {
    day: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()),
    month: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1),
  };
}
