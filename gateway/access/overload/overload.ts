import { hash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { AppError } from '#shared/errors.ts';
import { createBodyMemory, type MemoryLease } from '../../runtime/body/body-blocks.ts';
import { createFairQueue, createShares } from '../../runtime/concurrency/fair-queue.ts';

/** The clock and timers, which a test can replace. */
interface TurnClock {
  /** Milliseconds of real time. */
  now(): number;
  /** Milliseconds of processor time of this thread. */
  ownMs(): number;
  /** Calls back after the events that are waiting now. */
  defer(next: () => void): void;
  /** Calls back after this many milliseconds. */
  later(next: () => void, ms: number): void;
}

interface TurnLimits {
  /** Units of work that begin in one turn of the event loop while requests come from one account. */
  readonly alone: number;
  /** The same while requests come from several accounts: a short turn keeps one account's answers from waiting for another's. */
  readonly mixed: number;
  /** How long a request may wait for its turn. */
  readonly maxWaitMs: number;
}

/** Decides when a request's work may begin. */
interface Turns {
  /** Returns undefined when the work may begin at once. */
  enter(account: string, units: number): Promise<void> | undefined;
  /** Whether a further request of this account would wait longer than it may. */
  isLate(account: string): boolean;
  /** The number of waiting requests. */
  readonly waiting: number;
  /** How long a unit of work takes at the moment, with everything else that the thread does. */
  readonly unitMs: number;
}

/** For this time after two accounts took turns, requests count as coming from several accounts. */
const mixedMs = 1_000;
/** The speed is measured over at least this time. */
const measureMs = 100;
/** The assumed time of a unit of work until it is measured. */
const unmeasuredMs = 1;
/** The time between two checks of a database that is busy. */
const checkMs = 2;
/** A turn counts as at most this many times the thread's own processor time: the rest was used by other processes. */
const maxForeign = 2;

/**
 * The event loop is the queue in which everything waits, so it is kept short: in each turn work begins for a few requests, in fair order
 * over the accounts, and the others wait unread. `isBusy` holds all of them back.
 */
export function createTurns(limits: TurnLimits, clock: TurnClock, isBusy: () => boolean): Turns {
  const queue = createFairQueue<() => void>();
  let open = false;
  let left = 0;
  let account = '';
  let mixedUntil = Number.NEGATIVE_INFINITY;
  let unitMs = unmeasuredMs;
  let measure: { readonly since: number; readonly own: number; units: number } | null = null;

  const turnSize = () =>
    mixedUntil === Number.NEGATIVE_INFINITY || clock.now() > mixedUntil ? limits.alone : limits.mixed;

  function see(one: string): void {
    if (one === account) return;
    if (account !== '') mixedUntil = clock.now() + mixedMs;
    account = one;
  }

  function openTurn(): void {
    open = true;
    left = turnSize();
    clock.defer(turn);
  }

  function turn(): void {
    left = turnSize();
    const began = release();
    watchSpeed(began);
    if (queue.size > 0 && isBusy()) clock.later(turn, checkMs);
    else if (queue.size > 0 || began > 0) clock.defer(turn);
    else open = false;
  }

  /** Lets the next requests begin. Returns how many units of work they are. */
  function release(): number {
    let began = 0;
    while (left > 0 && queue.size > 0 && !isBusy()) {
      const next = queue.take();
      if (!next) break;
      left -= next.cost;
      began += next.cost;
      next.item();
    }
    return began;
  }

  /** Measures how fast work begins while more of it waits than fits into a turn: that is the speed of the thread. */
  function watchSpeed(began: number): void {
    if (queue.size === 0) {
      measure = null;
      return;
    }
    const now = clock.now();
    if (measure === null) {
      measure = { since: now, own: clock.ownMs(), units: 0 };
      return;
    }
    measure.units += began;
    const passed = now - measure.since;
    if (passed < measureMs || measure.units === 0) return;
    const own = clock.ownMs() - measure.own;
    unitMs = (unitMs + Math.min(passed, own * maxForeign) / measure.units) / 2;
    measure = null;
  }

  return {
    enter(account, units) {
      see(account);
      if (!open) openTurn();
      if (queue.size === 0 && left > 0 && !isBusy()) {
        left -= units;
        return undefined;
      }
      return new Promise((resolve) => queue.push(account, units, resolve));
    },
    isLate(account) {
      // With so few requests waiting, each waits for a turn or two at most. Only other work of the thread could delay them, and that is no
      // reason to refuse.
      if (queue.size < limits.alone) return false;
      const own = queue.getCost(account) + 1;
      const before = Math.min(queue.cost + 1, own * (queue.accounts + 1));
      return before * unitMs > limits.maxWaitMs;
    },
    get waiting() {
      return queue.size;
    },
    get unitMs() {
      return unitMs;
    },
  };
}

const minMs = 1_000;
const maxMs = 30_000;

/**
 * The wait for refused clients in milliseconds: at least a second, and at random within a time in which they can come back one after
 * another, `paceMs` apart. The more there are, the longer that time.
 */
export function createRetryWait(now: () => number, random: () => number = Math.random) {
  let until = 0;
  return (paceMs: number): number => {
    const at = now();
    until = Math.min(Math.max(until, at + minMs) + paceMs, at + maxMs - minMs);
    return Math.round(minMs + random() * (until - at));
  };
}

/** The load at which a process refuses further work, because more work would only make every request wait longer. */
export interface WorkLimits extends TurnLimits {
  /** Chat requests that run or wait for their turn. */
  readonly answers: number;
  /** Statements that wait for a connection to the database. */
  readonly statements: number;
  /** The memory of large bodies, in bytes. */
  readonly bodies: number;
}

export const workLimits: WorkLimits = {
  answers: 1_000,
  statements: 1_000,
  bodies: 128 * 1_024 * 1_024,
  alone: 64,
  mixed: 8,
  maxWaitMs: 1_000,
};

/** Why a request is refused with 503 `server_overloaded`: the labels of `portico_shed_requests_total`. */
export const shedReasons = ['answers', 'turns', 'database', 'bodies'] as const;
type ShedReason = (typeof shedReasons)[number];

export interface Overload {
  /**
   * Why a chat request cannot be taken at the moment, as 503 `server_overloaded` (wire contract §3.2), or null. Only the request's
   * credential is checked, so a refusal costs almost nothing.
   */
  refusal(isChat: boolean, authorization: string | null): AppError | null;
  /**
   * Takes a chat request of an account as soon as it is its turn. `bytes`: its body's announced length. Throws 503 `server_overloaded` at
   * once when there is too much to do. `release` of the result ends the request.
   */
  enter(account: string, bytes: number, authorization: string | null): MemoryLease | Promise<MemoryLease>;
  /** Takes any other request. */
  enterOther(account: string): MemoryLease;
  /** The number of requests that were refused so far. */
  shed(reason: ShedReason): number;
  readonly waiting: number;
  readonly answers: number;
  /** Bytes of large bodies. */
  readonly bodyBytes: number;
}

interface OverloadDeps {
  readonly limits?: Partial<WorkLimits>;
  /** Statements that wait for a connection to the database. */
  readonly statements: () => number;
  readonly clock?: TurnClock;
  readonly random?: () => number;
}

/** With this many waiting statements, requests wait for their turn before they add to them. */
const fewStatements = 100;
/** The bytes of a body that make one unit of work, and the most units of a body; larger bodies are read on a worker thread. */
const bytesAUnit = 8_192;
const maxUnits = 16;
const knownLimit = 10_000;
/** Milliseconds between two clients that come back, before it is measured. */
const paces: Readonly<Record<Exclude<ShedReason, 'turns'>, number>> = { answers: 5, database: 5, bodies: 250 };

const messages: Readonly<Record<ShedReason, string>> = {
  answers: 'The gateway gives as many answers as it can. Nothing was done; try again shortly.',
  turns: 'The gateway has more to do than it can at the moment. Nothing was done; try again shortly.',
  database: 'The gateway has more to do than its database can at the moment. Nothing was done; try again shortly.',
  bodies: 'The gateway holds as many large requests as it can. Try again shortly.',
};

const eventLoop: TurnClock = {
  now: () => performance.now(),
  ownMs() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
  defer: (next) => void setImmediate(next),
  later: (next, ms) => void setTimeout(next, ms),
};

/** Keeps a process within its capacity: shares by account, a fair order, and a refusal for everything beyond. */
export function createOverload(deps: OverloadDeps): Overload {
  const limits = { ...workLimits, ...deps.limits };
  const clock = deps.clock ?? eventLoop;
  const answers = createShares(limits.answers);
  const turns = createTurns(limits, clock, () => deps.statements() >= fewStatements);
  const counts: Record<ShedReason, number> = { answers: 0, turns: 0, database: 0, bodies: 0 };
  const waits = new Map(shedReasons.map((reason) => [reason, createRetryWait(clock.now, deps.random)]));
  const bodies = createBodyMemory(limits.bodies, () => refuse('bodies'));
  /**
   * The accounts of recently refused credentials, by the credential's digest: a client that comes again at once is recognised without a
   * database query.
   */
  const known = new Map<string, string>();

  function refuse(reason: ShedReason): AppError {
    counts[reason] += 1;
    const pace = reason === 'turns' ? turns.unitMs : paces[reason];
    return new AppError('server_overloaded', messages[reason], { retryAfterMs: waits.get(reason)?.(pace) ?? 0 });
  }

  function remember(account: string, authorization: string | null): void {
    if (authorization === null) return;
    if (known.size >= knownLimit) known.clear();
    known.set(getDigest(authorization), account);
  }

  function isLate(authorization: string | null): boolean {
    if (authorization === null || turns.waiting === 0 || known.size === 0) return false;
    const account = known.get(getDigest(authorization));
    return account !== undefined && turns.isLate(account);
  }

  function getPlace(account: string): MemoryLease {
    const place = bodies.enter(account);
    let isIn = true;
    return {
      grow: place.grow,
      release() {
        if (isIn) answers.give(account, 1);
        isIn = false;
        place.release();
      },
    };
  }

  return {
    refusal(isChat, authorization) {
      if (deps.statements() >= limits.statements) return refuse('database');
      if (!isChat) return null;
      if (answers.isFull) return refuse('answers');
      return isLate(authorization) ? refuse('turns') : null;
    },
    enter(account, bytes, authorization) {
      if (turns.isLate(account)) {
        remember(account, authorization);
        throw refuse('turns');
      }
      if (!answers.take(account, 1)) throw refuse('answers');
      const place = getPlace(account);
      const turn = turns.enter(account, Math.min(maxUnits, 1 + Math.floor(bytes / bytesAUnit)));
      return turn === undefined ? place : turn.then(() => place);
    },
    enterOther: (account) => bodies.enter(account),
    shed: (reason) => counts[reason],
    get waiting() {
      return turns.waiting;
    },
    get answers() {
      return answers.used;
    },
    get bodyBytes() {
      return bodies.used;
    },
  };
}

const getDigest = (authorization: string) => hash('sha256', authorization, 'base64');

type Entry = Readonly<Record<string, unknown>>;

interface SheddingDeps {
  readonly overload: Overload;
  /** Counts a request that has ended. */
  readonly count: (entry: Entry, code: string) => void;
  readonly log: (entry: Entry) => void;
}

/** The log has one line a second with the number of refusals: a line for each would be work, and there is too much of it already. */
const logEveryMs = 1_000;

/** Refuses chat requests before the gateway reads them, and logs the number of refusals. */
export function createShedding({ overload, count, log }: SheddingDeps) {
  let timer: NodeJS.Timeout | undefined;
  let refused = 0;

  function logRefusals(): void {
    timer = undefined;
    const reasons = Object.fromEntries(shedReasons.map((reason) => [reason, overload.shed(reason)]));
    log({ event: 'overloaded', level: 'warn', refused, refused_so_far: reasons, waiting: overload.waiting });
    refused = 0;
  }

  return {
    /** Why a chat request is refused at once, or null. */
    shed(path: string, authorization: string | null): AppError | null {
      const refusal = overload.refusal(true, authorization);
      if (!refusal) return null;
      refused += 1;
      timer ??= setTimeout(logRefusals, logEveryMs).unref();
      count({ method: 'POST', route: path, status: refusal.status, duration_ms: 0 }, refusal.code);
      return refusal;
    },
    /** Logs the refusals that are not logged yet. */
    close(): void {
      if (timer === undefined) return;
      clearTimeout(timer);
      logRefusals();
    },
  };
}
