import { GatewayError, isLacking } from '#shared/client/gateway-error.ts';
import {
  type CapMeter,
  type CapScope,
  type CapState,
  type Caps,
  type CapsNow,
  type OutsideLimit,
  caps as schema,
} from '#shared/contract/chat/caps.ts';
import { toAppError } from '#shared/errors.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { Connections } from '../../gateways/connection/connections.ts';
import type { Upper } from '../../request/admission.ts';
import type { Changes } from '../../runtime/streams/change-topics.ts';
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

/** Amounts in nano-USD, by scope. */
type Amounts<Value> = Readonly<Record<CapScope, Value>>;

const scopes = ['message', 'conversation', 'day', 'month'] as const;
const usd = (amount: bigint) => formatUsd(nanoUsd(amount));

const getSum = (uppers: readonly Upper[]): bigint => uppers.reduce((sum, { upper }) => sum + upper, 0n);

/** Returns the caps that a message costing at most `upper` comes near (80 %) or may exceed. Exact, in nano-USD. */
export function capStates(caps: Amounts<bigint | null>, spent: Amounts<bigint>, upper: bigint): CapState[] {
  return scopes.flatMap((scope) => getStates(scope, null, caps[scope], spent[scope], upper));
}

/** Does the same for the caps of the models that are about to be called. */
function modelStates(
  caps: Readonly<Record<string, string>>,
  spentOn: (model: string) => bigint,
  uppers: readonly Upper[],
): CapState[] {
  return [...new Set(uppers.map(({ model }) => model))].flatMap((model) => {
    const cap = caps[model];
    if (cap === undefined) return [];
    const upper = getSum(uppers.filter((answer) => answer.model === model));
    return getStates('model', model, parseUsd(cap), spentOn(model), upper);
  });
}

function getStates(
  scope: CapState['scope'],
  model: string | null,
  cap: bigint | null,
  spent: bigint,
  upper: bigint,
): CapState[] {
  if (cap === null) return [];
  const after = spent + upper;
  if (after * 5n < cap * 4n) return [];
  const state = after > cap ? 'over' : 'near';
  return [{ scope, model, capUsd: usd(cap), spentUsd: usd(spent), afterUsd: usd(after), state }];
}

/** Returns how much of a cap is used. Null if there is no cap. */
export function getMeter(
  scope: CapMeter['scope'],
  cap: string | null,
  spent: bigint,
  model: string | null = null,
): CapMeter | null {
  if (cap === null) return null;
  const most = parseUsd(cap);
  const state = spent >= most ? 'full' : spent * 5n >= most * 4n ? 'near' : 'free';
  // Divides integers, because a float would round the amounts first.
  const share = most === 0n ? 1 : Number((spent * 1000n) / most) / 1000;
  return { scope, model, capUsd: cap, spentUsd: usd(spent), share, state };
}

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

export interface CapsDeps {
  readonly store: SettingsStore;
  readonly spend: SpendStore;
  readonly connections: Pick<Connections, 'billingAccount' | 'mode'>;
  /** Limits of the built-in gateway, which apply the app's day, month and model caps to other programs too. */
  readonly programLimits: {
    /** Copies the app's caps to the account's limits, except those that somebody else has set. */
    readonly write: () => Promise<void>;
    readonly takeOver: () => Promise<void>;
    readonly setOutside: () => Promise<OutsideLimit[]>;
  };
  readonly changes: Changes;
  readonly now: () => number;
}

interface Reservation extends Upper {
  readonly conversationId: string;
  readonly at: number;
}

/** Drops the reservation of an admitted request that was never stored after this time. */
const patienceMs = 60_000;

/** Keeps the spending caps and what was spent against them. Test credits are not money and don't count. */
export function capsFeature({ store, spend, connections, programLimits, changes, now }: CapsDeps) {
  const reserved = new Map<string, Reservation>();

  const read = () => readCaps(store);

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

  async function spentOn(conversationId: string | null, reservations: readonly Reservation[]) {
    const own = getSum(reservations);
    const here = getSum(reservations.filter((reservation) => reservation.conversationId === conversationId));
    const [all, ofChat] = await Promise.all([
      spentNow(),
      conversationId === null ? 0n : spend.ofConversation(conversationId),
    ]);
    // The gateway holds a request of this app too once it is sent. Adding both sums would count it twice.
    const open = own > all.held ? own : all.held;
    return { message: 0n, conversation: ofChat + here, day: all.day + open, month: all.month + open };
  }

  const spentOnModels = () => modelSpend({ connections, spend }, getPeriods(now()).month);

  return {
    async get(): Promise<CapsNow> {
      const [caps, { day, month, unknown, counts }, setOutside] = await Promise.all([
        read(),
        spentNow(),
        whereOpen(programLimits.setOutside, null),
      ]);
      const capped = Object.entries(caps.models);
      const costs = capped.length === 0 ? null : await spentOnModels();
      const meters = [
        getMeter('day', caps.day, day),
        getMeter('month', caps.month, month),
        ...capped.map(([model, cap]) => getMeter('model', cap, costs?.get(model) ?? 0n, model)),
      ];
      return {
        caps,
        meters: meters.flatMap((meter) => meter ?? []),
        spentUsd: { day: usd(day), month: usd(month) },
        unknown,
        counts,
        setOutside,
      };
    },

    async set(caps: Caps): Promise<void> {
      await writeCaps(store, caps);
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
      const { models, ...scoped } = caps;
      const limits = Object.fromEntries(
        Object.entries(scoped).map(([scope, cap]) => [scope, cap === null ? null : parseUsd(cap)]),
      ) as Record<CapScope, bigint | null>;
      const reservations = await running();
      const states = capStates(limits, await spentOn(conversationId, reservations), getSum(uppers));
      if (!uppers.some(({ model }) => models[model] !== undefined)) return states;
      const costs = await spentOnModels();
      const spentOnModel = (model: string) =>
        (costs.get(model) ?? 0n) + getSum(reservations.filter((reservation) => reservation.model === model));
      return [...states, ...modelStates(models, spentOnModel, uppers)];
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
