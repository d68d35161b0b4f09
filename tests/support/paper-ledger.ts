/**
 * One step of a program that runs against the ledger. Requests are numbered; a key is `none` or one of `keyNames`. A
 * request on the caller's own key (`byok`) is settled with a fee of `bps` basis points of three times the amount.
 */
export type Step =
  | {
      readonly do: 'hold';
      readonly slot: number;
      readonly key: KeyName | null;
      readonly amount: bigint;
      readonly byok: boolean;
    }
  | { readonly do: 'extend'; readonly slot: number; readonly amount: bigint }
  | { readonly do: 'settle'; readonly slot: number; readonly amount: bigint; readonly bps: number }
  | { readonly do: 'release' | 'renew'; readonly slot: number }
  | { readonly do: 'grant'; readonly id: number; readonly amount: bigint }
  | { readonly do: 'limit'; readonly key: KeyName; readonly amount: bigint | null }
  | { readonly do: 'burst'; readonly key: KeyName | null; readonly count: number; readonly amount: bigint }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'sweep' | 'crash' | 'crash alone' };

export const keyNames = ['free', 'limited', 'minted', 'grandchild'] as const;
export type KeyName = (typeof keyNames)[number];
export const parents: Readonly<Record<KeyName, KeyName | null>> = {
  free: null,
  limited: null,
  minted: 'limited',
  grandchild: 'minted',
};

export interface PaperPlan {
  readonly prepaid: boolean;
  readonly perDay: bigint | null;
  readonly perMonth: bigint | null;
}

interface PaperRequest {
  readonly key: KeyName | null;
  readonly day: string;
  readonly byok: boolean;
  hold: bigint;
  charge: bigint | null;
  lease: number;
  instance: number;
}

const leaseMs = 60_000;
const ownGraceMs = 20 * 60_000;
const min = (a: bigint, other: bigint) => (a < other ? a : other);

/** The ledger as a person would keep it on paper: the result of each step and the counters after it. */
export function createPaperLedger(plan: PaperPlan, startMs: number) {
  const requests = new Map<string, PaperRequest>();
  const grants = new Map<number, bigint>();
  const keys = Object.fromEntries(
    keyNames.map((name) => [name, { limit: null as bigint | null, spent: 0n, held: 0n }]),
  ) as Record<KeyName, { limit: bigint | null; spent: bigint; held: bigint }>;
  const account = {
    balance: 0n,
    held: 0n,
    granted: 0n,
    used: 0n,
    day: '',
    day_requests: 0n,
    month: '',
    month_used: 0n,
  };
  let fees = 0n;
  let now = startMs;
  let instance = 0;
  let bursts = 0;

  const today = () => new Date(now).toISOString().slice(0, 10);
  const line = (name: KeyName | null): KeyName[] => (name === null ? [] : [name, ...line(parents[name])]);
  const overMonth = (amount: bigint) =>
    plan.perMonth !== null &&
    amount > 0n &&
    (account.month === today().slice(0, 7) ? account.month_used : 0n) + account.held + amount > plan.perMonth;
  const overDay = () => plan.perDay !== null && account.day === today() && account.day_requests >= plan.perDay;
  const overKeys = (name: KeyName | null, amount: bigint) =>
    amount > 0n &&
    line(name).some((keyName) => {
      const { limit, spent, held } = keys[keyName];
      return limit !== null && limit - spent - held < amount;
    });
  const overBalance = (amount: bigint) => plan.prepaid && amount > 0n && account.balance - account.held < amount;

  function reserve(request: PaperRequest, amount: bigint) {
    request.hold += amount;
    account.held += amount;
    for (const name of line(request.key)) keys[name].held += amount;
  }

  function hold(id: string, key: KeyName | null, amount: bigint, byok = false): string {
    if (requests.has(id)) return 'ok';
    if (overDay() || overMonth(amount)) return 'plan_limit_exceeded';
    if (overKeys(key, amount)) return 'key_spend_limit_exceeded';
    if (overBalance(amount)) return 'insufficient_credits';
    const request = { key, day: today(), byok, hold: 0n, charge: null, lease: now + leaseMs, instance };
    requests.set(id, request);
    reserve(request, amount);
    account.day_requests = account.day === request.day ? account.day_requests + 1n : 1n;
    account.day = request.day;
    return 'ok';
  }

  function extend(id: string, amount: bigint): boolean {
    const request = requests.get(id);
    if (!request || request.charge !== null) return false;
    const more = amount - request.hold;
    if (more <= 0n) return true;
    if (overKeys(request.key, more) || overMonth(more) || overBalance(more)) return false;
    reserve(request, more);
    return true;
  }

  function settle(id: string, charge: bigint): bigint | 'unknown' {
    const request = requests.get(id);
    if (!request) return 'unknown';
    if (request.charge !== null) return request.charge;
    reserve(request, -request.hold);
    request.charge = charge;
    for (const name of line(request.key)) keys[name].spent += charge;
    account.balance -= charge;
    account.used += charge;
    if (request.byok) fees += charge;
    const month = request.day.slice(0, 7);
    if (account.month === month) account.month_used += charge;
    else if (account.month < month) [account.month, account.month_used] = [month, charge];
    return charge;
  }

  /** The fee is rounded up once, at the end. */
  const getFee = (amount: bigint, bps: number) => (3n * amount * BigInt(bps) + 9_999n) / 10_000n;
  const isOwnKey = (slot: number) => requests.get(`slot-${slot}`)?.byok ?? false;

  function end(dead: (request: PaperRequest) => boolean): number {
    const ended = [...requests].filter(([, request]) => request.charge === null && dead(request));
    for (const [id] of ended) settle(id, 0n);
    return ended.length;
  }

  function grant(id: number, amount: bigint): string {
    const known = grants.get(id);
    if (known !== undefined) return known === amount ? 'ok' : 'invalid_input';
    grants.set(id, amount);
    account.balance += amount;
    account.granted += amount;
    return 'ok';
  }

  function burst(key: KeyName | null, count: number, amount: bigint) {
    const prefix = burstPrefix(bursts++);
    const answers = Array.from({ length: count }, (_, index) => hold(`${prefix}${index}`, key, amount));
    const charge = min(amount, 7n);
    for (const [index, answer] of answers.entries()) if (answer === 'ok') settle(`${prefix}${index}`, charge);
    return { answers: answers.toSorted(), charge };
  }

  return {
    account,
    keys,
    now: () => now,
    instance: () => instance,
    bursts: () => bursts,
    fees: () => fees,
    isOwnKey,
    apply(step: Step): unknown {
      switch (step.do) {
        case 'hold':
          return hold(`slot-${step.slot}`, step.key, step.amount, step.byok);
        case 'extend':
          return extend(`slot-${step.slot}`, step.amount);
        case 'settle':
          return settle(`slot-${step.slot}`, isOwnKey(step.slot) ? getFee(step.amount, step.bps) : step.amount);
        case 'release':
          return settle(`slot-${step.slot}`, 0n);
        case 'renew': {
          const request = requests.get(`slot-${step.slot}`);
          if (request && request.charge === null) request.lease = now + leaseMs;
          return 'ok';
        }
        case 'grant':
          return grant(step.id, step.amount);
        case 'limit':
          keys[step.key].limit = step.amount;
          return 'ok';
        case 'burst':
          return burst(step.key, step.count, step.amount);
        case 'pass':
          now += step.ms;
          return 'ok';
        case 'sweep':
          return end(
            (request) => request.lease < now - ownGraceMs || (request.instance !== instance && request.lease < now),
          );
        case 'crash':
          instance += 1;
          return 'ok';
        case 'crash alone':
          instance += 1;
          return end((request) => request.instance !== instance);
      }
    },
  };
}

export const burstPrefix = (number: number) => `burst-${number}-`;
