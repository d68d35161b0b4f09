import { formatUsd, type NanoUsd } from '#shared/money.ts';
import type { Held, Ledger, Settlement } from '../../ledger/ledger.ts';
import { amountCounter, counter, histogram, type Metric } from './metric-registry.ts';

type Entry = Readonly<Record<string, unknown>>;
type Log = (entry: Entry) => void;

/** A request whose hold is open. It's over when its HTTP answer has begun and its hold is settled, in either order. */
interface Open {
  answered: Entry | null;
  settled: Settled | null;
}

interface Settled {
  readonly settlement: Settlement;
  readonly isRecorded: boolean;
}

export interface Traffic {
  /** Replaces the log. The entry of a request waits until the request is over, so that each request has one line. */
  readonly log: Log;
  /** Wraps the ledger to observe it. */
  watch(ledger: Ledger): Ledger;
  /** How many requests hold money or tokens of an account. */
  readonly openHolds: number;
  /** How many answers are being streamed. */
  readonly openStreams: number;
}

/**
 * Observes each request once, when it's over: one log line, and the metrics. They contain ids, codes and numbers, but never text
 * of a request or an answer, and no key. Unless `logsAll`, a successful request has no line.
 */
export function createTraffic(log: Log, metrics: TrafficMetrics, logsAll: boolean): Traffic {
  const open = new Map<string, Open>();

  function over(answered: Entry, settled: Settled | null): void {
    const code = settled?.settlement.errorCode ?? answered.code;
    metrics.request(answered, code);
    const level = getLevel(Number(answered.status), settled?.settlement.status);
    if (level !== 'info' || logsAll) log({ ...answered, ...(settled && getLine(settled)), level });
  }

  function answered(entry: Entry): void {
    const request = open.get(String(entry.request_id));
    if (!request) {
      over(entry, null);
    } else if (request.settled === null) {
      request.answered = entry;
    } else {
      open.delete(String(entry.request_id));
      over(entry, request.settled);
    }
  }

  function settled(settlement: Settlement, isRecorded: boolean): void {
    metrics.answer(settlement);
    const request = open.get(settlement.requestId);
    if (!request) return;
    if (request.answered === null) {
      request.settled = { settlement, isRecorded };
    } else {
      open.delete(settlement.requestId);
      over(request.answered, { settlement, isRecorded });
    }
  }

  const timed = (step: 'hold' | 'settle', started: number) =>
    metrics.commit(step, (performance.now() - started) / 1000);

  return {
    log: (entry) => (entry.event === 'request' ? answered(entry) : log(entry)),
    watch: (ledger) => ({
      ...ledger,
      decide(request) {
        const started = performance.now();
        const watched = (held: Held): Held => {
          open.set(request.requestId, { answered: null, settled: null });
          return new TimedHeld(held, () => timed('hold', started));
        };
        const held = ledger.decide(request);
        return held instanceof Promise ? held.then(watched) : watched(held);
      },
      settle(settlement) {
        const started = performance.now();
        return ledger.settle(settlement).then(
          (result) => {
            timed('settle', started);
            settled(settlement, true);
            return result;
          },
          (error: unknown) => {
            settled(settlement, false);
            throw error;
          },
        );
      },
    }),
    get openHolds() {
      return [...open.values()].filter((request) => request.settled === null).length;
    },
    get openStreams() {
      return [...open.values()].filter((request) => request.answered !== null).length;
    },
  };
}

/** Measures the hold only when somebody waits for it. A non-streaming answer waits for its settlement instead. */
class TimedHeld implements Held {
  readonly amount: Held['amount'];
  readonly #held: Held;
  readonly #timed: () => void;

  constructor(held: Held, timed: () => void) {
    this.amount = held.amount;
    this.#held = held;
    this.#timed = timed;
  }

  get durable(): Promise<void> {
    return this.#held.durable.then(this.#timed);
  }
}

const getLine = ({ settlement: end, isRecorded }: Settled): Entry => ({
  outcome: end.status,
  ...(end.errorCode === null ? {} : { code: end.errorCode }),
  provider: end.provider,
  model: end.model,
  attempts: end.attempts ?? 0,
  first_token_ms: end.firstTokenMs,
  total_ms: end.totalMs,
  prompt_tokens: end.usage.promptTokens,
  completion_tokens: end.usage.completionTokens,
  cost_usd: formatUsd(end.charge),
  ...(isRecorded ? {} : { ledger: 'not closed' }),
});

/** An error is for the operator to look at, a warning for the caller. */
function getLevel(status: number, outcome: Settlement['status'] | undefined): 'info' | 'warn' | 'error' {
  if (outcome === 'failed' || status >= 500) return 'error';
  return status >= 400 ? 'warn' : 'info';
}

const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const firstTokenSeconds = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 120];
const answerSeconds = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 120, 300, 600];
const commitSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

export interface TrafficMetrics {
  readonly metrics: readonly Metric[];
  /** Counts a request by its log entry and the code of what went wrong. */
  request(entry: Readonly<Record<string, unknown>>, code: unknown): void;
  answer(settlement: Settlement): void;
  commit(step: 'hold' | 'settle', seconds: number): void;
}

const usd = (amount: bigint) => formatUsd(amount as NanoUsd);
const modelLabels = ['provider', 'model'] as const;

/** The metrics of requests. Each request costs a few additions; text is made only when it's scraped. */
export function trafficMetrics(): TrafficMetrics {
  const requests = counter('portico_requests_total', 'Requests by route and status.', ['method', 'route', 'status']);
  const errors = counter('portico_errors_total', 'Refused and failed requests by their code.', ['code']);
  const duration = histogram(
    'portico_request_seconds',
    'From a request to the head of its answer.',
    ['route'],
    requestSeconds,
  );
  const answers = counter('portico_answers_total', 'Chat answers by who gave them and how they ended.', [
    ...modelLabels,
    'status',
  ]);
  const tokens = counter('portico_tokens_total', 'Tokens by kind.', [...modelLabels, 'kind']);
  const cost = amountCounter('portico_cost_usd_total', 'Charged to accounts.', modelLabels, usd);
  const upstreamCost = amountCounter(
    'portico_upstream_cost_usd_total',
    'What providers are expected to bill.',
    modelLabels,
    usd,
  );
  const firstToken = histogram(
    'portico_first_token_seconds',
    'From a chat request to its first token.',
    modelLabels,
    firstTokenSeconds,
  );
  const total = histogram('portico_answer_seconds', 'From a chat request to its end.', modelLabels, answerSeconds);
  const commits = histogram(
    'portico_ledger_commit_seconds',
    'How long the books take to open or close a request.',
    ['step'],
    commitSeconds,
  );

  return {
    metrics: [requests, errors, duration, answers, tokens, cost, upstreamCost, firstToken, total, commits],
    request({ method, route, status, duration_ms }, code) {
      // A path that isn't a route could be anything, so all of those share one label.
      const name = typeof route === 'string' ? route : 'none';
      requests.add([String(method), name, String(status)], 1);
      duration.observe([name], Number(duration_ms) / 1000);
      if (typeof code === 'string') errors.add([code], 1);
    },
    answer({ provider, model, status, usage, charge, upstreamCost: upstream, firstTokenMs, totalMs }) {
      const who = [provider, model];
      answers.add([...who, status], 1);
      tokens.add([...who, 'prompt'], usage.promptTokens);
      tokens.add([...who, 'completion'], usage.completionTokens);
      tokens.add([...who, 'cached'], usage.cachedTokens);
      tokens.add([...who, 'reasoning'], usage.reasoningTokens);
      cost.add(who, charge);
      upstreamCost.add(who, upstream);
      if (firstTokenMs !== null) firstToken.observe(who, firstTokenMs / 1000);
      total.observe(who, totalMs / 1000);
    },
    commit: (step, seconds) => commits.observe([step], seconds),
  };
}
