import { formatUsd, type NanoUsd } from '#shared/money.ts';
import type { Settlement } from '../ledger/ledger.ts';
import { amountCounter, counter, histogram, type Metric } from './metric-registry.ts';

const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const firstTokenSeconds = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 120];
const answerSeconds = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 120, 300, 600];
const commitSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

export interface TrafficMetrics {
  readonly metrics: readonly Metric[];
  /** What the log says of a request that is over. */
  request(entry: Readonly<Record<string, unknown>>): void;
  answer(settlement: Settlement): void;
  commit(step: 'hold' | 'settle', seconds: number): void;
}

const usd = (amount: bigint) => formatUsd(amount as NanoUsd);
const of = ['provider', 'model'] as const;

/** What is counted of each request. A few additions each; everything is put into words when it is asked for. */
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
    ...of,
    'status',
  ]);
  const tokens = counter('portico_tokens_total', 'Tokens by kind.', [...of, 'kind']);
  const cost = amountCounter('portico_cost_usd_total', 'Charged to accounts.', of, usd);
  const upstreamCost = amountCounter(
    'portico_upstream_cost_usd_total',
    'What providers are expected to bill.',
    of,
    usd,
  );
  const firstToken = histogram(
    'portico_first_token_seconds',
    'From a chat request to its first token.',
    of,
    firstTokenSeconds,
  );
  const total = histogram('portico_answer_seconds', 'From a chat request to its end.', of, answerSeconds);
  const commits = histogram(
    'portico_ledger_commit_seconds',
    'How long the books take to open or close a request.',
    ['step'],
    commitSeconds,
  );

  return {
    metrics: [requests, errors, duration, answers, tokens, cost, upstreamCost, firstToken, total, commits],
    request({ method, route, status, code, duration_ms }) {
      // What is no route could be any path.
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
