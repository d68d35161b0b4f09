import type { AppError } from '#shared/errors.ts';

/** What the router needs to know of one model's recent past. */
export interface ModelHealth {
  readonly circuit: 'closed' | 'open' | 'half_open';
  readonly coolingDown: boolean;
  /** 0–1 over the last minute. */
  readonly errorRate: number;
  /** Null until five answers have been measured. */
  readonly measured: { readonly firstTokenMs: number; readonly tokensPerSecond: number } | null;
}

/** What one process reports to the others: how long a model is to be avoided from now on. All zero when it no longer is. */
export interface Avoidance {
  /** How long the model's circuit opens. It doubles with each failed probe. */
  readonly openMs: number;
  readonly openForMs: number;
  readonly coolingForMs: number;
}

/**
 * `account`: the account of the request. A model that fails for one account alone is avoided for that account only; one that failed for two
 * is avoided for all (wire contract §5.3.7).
 */
export interface Health {
  /** Without an account: the health that applies to all accounts. */
  of(id: string, account?: string): ModelHealth;
  /** Every model with a known past. */
  known(): readonly string[];
  /** Takes over what another process found out. */
  adopt(id: string, avoidance: Avoidance): void;
  /** A request is about to be sent to this model: it takes the one probe of a half-open circuit. */
  begin(id: string, account: string): void;
  succeeded(id: string, account: string, timing: { firstTokenMs: number; tokensPerSecond: number | null } | null): void;
  /**
   * A rate limit or an account without quota makes the router avoid the model for as long as the error asks; everything else counts towards
   * its circuit. Mistakes and cancellations of our caller do not count: call `abandoned` for those.
   */
  failed(id: string, account: string, error: AppError): void;
  abandoned(id: string, account: string): void;
}

const windowMs = 60_000;
const keptOutcomes = 200;
const minimumSamples = 5;
const openShare = 0.5;
const firstOpenMs = 30_000;
const maxOpenMs = 300_000;
const defaultCoolDownMs = 10_000;
/** A measurement's weight halves with each five minutes' worth of answers; the factor for one answer. */
const smoothing = 0.2;

interface Entry {
  outcomes: { at: number; ok: boolean; account: string }[];
  openUntil: number;
  openMs: number;
  opened: boolean;
  probing: boolean;
  coolingUntil: number;
  measuredCount: number;
  firstTokenMs: number;
  tokensPerSecond: number;
}

/**
 * The recent past of each model, in this process's memory (wire contract §5.3.7). Losing it costs a few attempts. `report` is called
 * whenever a model is to be avoided, or no longer.
 */
export function createHealth(now: () => number, report: (id: string, avoidance: Avoidance) => void = () => {}): Health {
  const entries = new Map<string, Entry>();
  /** Circuits that are open for one account, by model and account. */
  const ownEntries = new Map<string, Entry>();
  const toEntry = (id: string): Entry => {
    const known = entries.get(id);
    if (known) return known;
    const entry = newEntry();
    entries.set(id, entry);
    return entry;
  };
  const ownName = (id: string, account: string) => `${id}\n${account}`;
  const ownEntry = (id: string, account: string) => ownEntries.get(ownName(id, account));

  function createOwn(id: string, account: string): Entry {
    const name = ownName(id, account);
    const entry = ownEntries.get(name) ?? newEntry();
    // The entry that failed last is the last one to be forgotten.
    ownEntries.delete(name);
    ownEntries.set(name, entry);
    const [oldest] = ownEntries.keys();
    if (ownEntries.size > maxOwnEntries && oldest !== undefined) ownEntries.delete(oldest);
    return entry;
  }

  return {
    of(id, account) {
      const entry = entries.get(id);
      if (!entry) return untouched;
      const all = snapshot(entry, now(), account ?? null);
      const own = account === undefined ? undefined : ownEntry(id, account);
      return own ? { ...all, circuit: stricter(all.circuit, getCircuit(own, now())) } : all;
    },
    known: () => [...entries.keys()],
    adopt(id, { openMs, openForMs, coolingForMs }) {
      const entry = toEntry(id);
      const time = now();
      entry.coolingUntil = coolingForMs > 0 ? time + coolingForMs : 0;
      if (openMs === 0) return close(entry);
      entry.openMs = openMs;
      entry.openUntil = time + openForMs;
      entry.opened = true;
    },
    begin(id, account) {
      for (const entry of [toEntry(id), ownEntry(id, account)])
        if (entry && getCircuit(entry, now()) === 'half_open') entry.probing = true;
    },
    succeeded(id, account, timing) {
      const entry = toEntry(id);
      const { opened } = entry;
      ownEntries.delete(ownName(id, account));
      close(entry);
      if (opened) report(id, getAvoidance(entry, now()));
      record(entry, now(), true, account);
      if (timing) measure(entry, timing);
    },
    failed(id, account, error) {
      const entry = toEntry(id);
      if (error.code === 'upstream_rate_limited' || error.code === 'no_provider_available') {
        entry.probing = false;
        entry.coolingUntil = now() + (error.retryAfterMs ?? defaultCoolDownMs);
        report(id, getAvoidance(entry, now()));
        return;
      }
      record(entry, now(), false, account);
      const own = ownEntry(id, account);
      const ofOwn = entry.outcomes.filter((outcome) => outcome.ok || outcome.account === account);
      if (own?.probing || (!own?.opened && shouldOpen(ofOwn))) open(createOwn(id, account), now());
      const failsForAll = !entry.opened && failingAccounts(entry.outcomes).size > 1 && shouldOpen(entry.outcomes);
      if (!entry.probing && !failsForAll) return;
      open(entry, now());
      report(id, getAvoidance(entry, now()));
    },
    abandoned(id, account) {
      for (const entry of [toEntry(id), ownEntry(id, account)]) if (entry) entry.probing = false;
    },
  };
}

/** Limits the memory that one account with a thousand failing models, or a thousand accounts, can fill. */
const maxOwnEntries = 10_000;

const strictness = { closed: 0, half_open: 1, open: 2 } as const;
const stricter = (first: ModelHealth['circuit'], second: ModelHealth['circuit']): ModelHealth['circuit'] =>
  strictness[first] > strictness[second] ? first : second;

const failingAccounts = (outcomes: Entry['outcomes']): ReadonlySet<string> =>
  new Set(outcomes.filter(({ ok }) => !ok).map(({ account }) => account));

const untouched: ModelHealth = { circuit: 'closed', coolingDown: false, errorRate: 0, measured: null };

const newEntry = (): Entry => ({
  outcomes: [],
  openUntil: 0,
  openMs: 0,
  opened: false,
  probing: false,
  coolingUntil: 0,
  measuredCount: 0,
  firstTokenMs: 0,
  tokensPerSecond: 0,
});

/** A failure for one account alone counts for that account only. */
function snapshot(entry: Entry, time: number, account: string | null): ModelHealth {
  const within = entry.outcomes.filter((outcome) => outcome.at > time - windowMs);
  const [only, ...others] = failingAccounts(within);
  const recent = others.length > 0 || only === account ? within : within.filter(({ ok }) => ok);
  const failures = recent.filter((outcome) => !outcome.ok).length;
  return {
    circuit: getCircuit(entry, time),
    coolingDown: time < entry.coolingUntil,
    errorRate: recent.length ? failures / recent.length : 0,
    measured:
      entry.measuredCount >= minimumSamples
        ? { firstTokenMs: entry.firstTokenMs, tokensPerSecond: entry.tokensPerSecond }
        : null,
  };
}

/** Half-open lets one probe through; while it runs, the circuit looks open to all other requests. */
function getCircuit(entry: Entry, time: number): ModelHealth['circuit'] {
  if (!entry.opened) return 'closed';
  return time < entry.openUntil || entry.probing ? 'open' : 'half_open';
}

const getAvoidance = (entry: Entry, time: number): Avoidance => ({
  openMs: entry.opened ? entry.openMs : 0,
  openForMs: entry.opened ? Math.max(0, entry.openUntil - time) : 0,
  coolingForMs: Math.max(0, entry.coolingUntil - time),
});

function record(entry: Entry, time: number, ok: boolean, account: string): void {
  const { outcomes } = entry;
  outcomes.push({ at: time, ok, account });
  while (outcomes.length > keptOutcomes || (outcomes[0]?.at ?? time) <= time - windowMs) outcomes.shift();
}

function shouldOpen(outcomes: Entry['outcomes']): boolean {
  if (outcomes.length < minimumSamples) return false;
  return outcomes.filter((outcome) => !outcome.ok).length / outcomes.length >= openShare;
}

function open(entry: Entry, time: number): void {
  entry.openMs = entry.openMs === 0 ? firstOpenMs : Math.min(entry.openMs * 2, maxOpenMs);
  entry.openUntil = time + entry.openMs;
  entry.opened = true;
  entry.probing = false;
}

function close(entry: Entry): void {
  if (entry.opened) entry.outcomes = [];
  entry.opened = false;
  entry.openMs = 0;
  entry.probing = false;
}

function measure(entry: Entry, timing: { firstTokenMs: number; tokensPerSecond: number | null }): void {
  const first = entry.measuredCount === 0;
  const blend = (old: number, value: number) => (first ? value : old + smoothing * (value - old));
  entry.firstTokenMs = blend(entry.firstTokenMs, timing.firstTokenMs);
  if (timing.tokensPerSecond !== null) {
    entry.tokensPerSecond = entry.tokensPerSecond
      ? blend(entry.tokensPerSecond, timing.tokensPerSecond)
      : timing.tokensPerSecond;
  }
  entry.measuredCount += 1;
}
