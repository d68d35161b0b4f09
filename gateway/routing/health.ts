import type { AppError } from '#shared/errors.ts';
import { reasonOf } from '../upstream/upstream-error.ts';

/** What the router needs to know of one model's recent past. */
export interface ModelHealth {
  readonly circuit: 'closed' | 'open' | 'half_open';
  readonly coolingDown: boolean;
  /** 0–1 over the last minute. */
  readonly errorRate: number;
  /** Null until five answers were measured. */
  readonly measured: { readonly firstTokenMs: number; readonly tokensPerSecond: number } | null;
}

/** What one process tells the others of a model: how long it is to be avoided from now on. All zero: not any more. */
export interface Avoidance {
  /** How long its circuit opens; doubles with each failed probe. */
  readonly openMs: number;
  readonly openForMs: number;
  readonly coolingForMs: number;
}

export interface Health {
  of(id: string): ModelHealth;
  /** Every model that anything is known of. */
  known(): readonly string[];
  /** Believes what another process found out. */
  adopt(id: string, avoidance: Avoidance): void;
  /** A request is about to go to this model: takes the one probe of a half-open circuit. */
  begin(id: string): void;
  succeeded(id: string, timing: { firstTokenMs: number; tokensPerSecond: number | null } | null): void;
  /**
   * A rate limit or an account without quota cools the model down for as long as the error says, everything else counts
   * towards its circuit. Our caller's own mistakes and cancellations do not count: call `abandoned` for those.
   */
  failed(id: string, error: AppError): void;
  abandoned(id: string): void;
}

const windowMs = 60_000;
const keptOutcomes = 200;
const minimumSamples = 5;
const openShare = 0.5;
const firstOpenMs = 30_000;
const longestOpenMs = 300_000;
const defaultCoolDownMs = 10_000;
/** A measurement's weight halves with each five minutes' worth of answers; the factor for one answer. */
const smoothing = 0.2;

interface Entry {
  outcomes: { at: number; ok: boolean }[];
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
 * The recent past of each model, in this process's memory (wire contract §5.3.7). Losing it costs a few attempts. `tell`
 * hears whenever a model is to be avoided, or no longer.
 */
export function createHealth(now: () => number, tell: (id: string, avoidance: Avoidance) => void = () => {}): Health {
  const entries = new Map<string, Entry>();
  const entryOf = (id: string): Entry => {
    const known = entries.get(id);
    if (known) return known;
    const entry = newEntry();
    entries.set(id, entry);
    return entry;
  };
  return {
    of(id) {
      const entry = entries.get(id);
      return entry ? snapshot(entry, now()) : untouched;
    },
    known: () => [...entries.keys()],
    adopt(id, { openMs, openForMs, coolingForMs }) {
      const entry = entryOf(id);
      const at = now();
      entry.coolingUntil = coolingForMs > 0 ? at + coolingForMs : 0;
      if (openMs === 0) return close(entry);
      entry.openMs = openMs;
      entry.openUntil = at + openForMs;
      entry.opened = true;
    },
    begin(id) {
      const entry = entryOf(id);
      if (circuitOf(entry, now()) === 'half_open') entry.probing = true;
    },
    succeeded(id, timing) {
      const entry = entryOf(id);
      const { opened } = entry;
      close(entry);
      if (opened) tell(id, avoidanceOf(entry, now()));
      record(entry, now(), true);
      if (timing) measure(entry, timing);
    },
    failed(id, error) {
      const entry = entryOf(id);
      if (error.code === 'upstream_rate_limited' || error.code === 'no_provider_available') {
        entry.probing = false;
        entry.coolingUntil = now() + (error.retryAfterMs ?? defaultCoolDownMs);
        tell(id, avoidanceOf(entry, now()));
        return;
      }
      record(entry, now(), false);
      if (!entry.probing && !shouldOpen(entry)) return;
      open(entry, now());
      tell(id, avoidanceOf(entry, now()));
    },
    abandoned(id) {
      entryOf(id).probing = false;
    },
  };
}

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

function snapshot(entry: Entry, at: number): ModelHealth {
  const recent = entry.outcomes.filter((outcome) => outcome.at > at - windowMs);
  const failures = recent.filter((outcome) => !outcome.ok).length;
  return {
    circuit: circuitOf(entry, at),
    coolingDown: at < entry.coolingUntil,
    errorRate: recent.length ? failures / recent.length : 0,
    measured:
      entry.measuredCount >= minimumSamples
        ? { firstTokenMs: entry.firstTokenMs, tokensPerSecond: entry.tokensPerSecond }
        : null,
  };
}

/** Half-open lets one probe through; while it runs, the circuit looks open to everyone else. */
function circuitOf(entry: Entry, at: number): ModelHealth['circuit'] {
  if (!entry.opened) return 'closed';
  return at < entry.openUntil || entry.probing ? 'open' : 'half_open';
}

const avoidanceOf = (entry: Entry, at: number): Avoidance => ({
  openMs: entry.opened ? entry.openMs : 0,
  openForMs: entry.opened ? Math.max(0, entry.openUntil - at) : 0,
  coolingForMs: Math.max(0, entry.coolingUntil - at),
});

function record(entry: Entry, at: number, ok: boolean): void {
  const { outcomes } = entry;
  outcomes.push({ at, ok });
  while (outcomes.length > keptOutcomes || (outcomes[0]?.at ?? at) <= at - windowMs) outcomes.shift();
}

function shouldOpen(entry: Entry): boolean {
  if (entry.opened || entry.outcomes.length < minimumSamples) return false;
  return entry.outcomes.filter((outcome) => !outcome.ok).length / entry.outcomes.length >= openShare;
}

function open(entry: Entry, at: number): void {
  entry.openMs = entry.openMs === 0 ? firstOpenMs : Math.min(entry.openMs * 2, longestOpenMs);
  entry.openUntil = at + entry.openMs;
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

/** What an operator has to see to (wire contract §3.3). */
export type Trouble = 'key_refused' | 'quota_exhausted';

/** Looks after the platform's own accounts at the providers, by what their answers say. Memory of this process. */
export interface ProviderWatch {
  /** The health that the engine reports to and the router asks: what is disabled looks as if it were cooling down. */
  readonly health: Health;
  /** Provider id → what is wrong with the gateway's account there. */
  troubles(): Readonly<Record<string, Trouble>>;
  troubleOf(provider: string): Trouble | null;
  /** The provider said that it does not know this model. */
  isUnknown(modelId: string): boolean;
  /** A new credential, or a check that went well: begin again. */
  cleared(provider: string): void;
}

interface ProviderWatchOptions {
  readonly health: Health;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** An empty account is asked again after this long by one request, which is the check if nobody made another. */
const emptyAccountMs = 300_000;
/** A model that its provider did not know may be there tomorrow. */
const unknownModelMs = 3_600_000;

export function createProviderWatch({ health, now, log }: ProviderWatchOptions): ProviderWatch {
  const troubles = new Map<string, Trouble>();
  const emptyUntil = new Map<string, number>();
  const unknownUntil = new Map<string, number>();

  const providerOf = (modelId: string) => modelId.slice(0, modelId.indexOf('/'));
  const isUnknown = (modelId: string) => (unknownUntil.get(modelId) ?? 0) > now();
  const isEmpty = (provider: string) => (emptyUntil.get(provider) ?? 0) > now();

  function cleared(provider: string): void {
    emptyUntil.delete(provider);
    const before = troubles.get(provider);
    if (troubles.delete(provider)) log({ event: 'provider_recovered', provider, trouble: before });
  }

  /** Said once, until it is over. */
  function note(provider: string, trouble: Trouble): void {
    if (troubles.get(provider) === trouble) return;
    troubles.set(provider, trouble);
    log({ event: 'provider_needs_attention', provider, trouble });
  }

  function failed(modelId: string, error: AppError): void {
    const provider = providerOf(modelId);
    switch (reasonOf(error)) {
      case 'key_refused':
        note(provider, 'key_refused');
        break;
      case 'quota_exhausted':
        emptyUntil.set(provider, now() + emptyAccountMs);
        note(provider, 'quota_exhausted');
        break;
      case 'model_unknown':
        if (!isUnknown(modelId)) log({ event: 'model_unknown', model: modelId });
        unknownUntil.set(modelId, now() + unknownModelMs);
        break;
      case null:
        break;
    }
  }

  return {
    health: {
      of(id): ModelHealth {
        const own = health.of(id);
        return isEmpty(providerOf(id)) || isUnknown(id) ? { ...own, coolingDown: true } : own;
      },
      known: health.known,
      adopt: health.adopt,
      begin: health.begin,
      abandoned: health.abandoned,
      succeeded(id, timing) {
        unknownUntil.delete(id);
        if (troubles.size > 0) cleared(providerOf(id));
        health.succeeded(id, timing);
      },
      failed(id, error) {
        failed(id, error);
        health.failed(id, error);
      },
    },
    troubles: () => Object.fromEntries(troubles),
    troubleOf: (provider) => troubles.get(provider) ?? null,
    isUnknown,
    cleared,
  };
}
