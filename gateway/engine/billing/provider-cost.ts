import { toAppError } from '#shared/errors.ts';
import type { AskBill, Bill } from '../../providers/provider.ts';
import type { Running } from '../../runtime/concurrency/running.ts';
import { Stop } from '../../runtime/concurrency/stop-signal.ts';

/** Asks providers what an answer cost that broke off or came without usage. Some providers report it afterwards (docs/decisions/092). */
export interface ProviderCosts {
  /** Null when the provider does not report it in time. A gateway that shuts down does not wait. */
  learn(requestId: string, ask: AskBill): Promise<Bill | null>;
}

export interface ProviderCostDeps {
  /** How long a provider may take in total, in milliseconds. */
  readonly withinMs: number;
  readonly running: Pick<Running, 'draining' | 'whenDraining'>;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** The wait before each call, as a fraction of the total: 0.5, 1, 2 and 4 s of 10. OpenRouter knows most answers after one or two calls. */
const waits = [1 / 20, 1 / 10, 1 / 5, 2 / 5];
/** Costs that may be asked for at once: each keeps its request in memory, and no rate limit counts it any more. */
const maxAtOnce = 100;

export function createProviderCosts({ withinMs, running, log }: ProviderCostDeps): ProviderCosts {
  let open = 0;

  /** `cause`: why no cost was reported. */
  async function learned(ask: AskBill, stop: Stop): Promise<{ readonly bill: Bill | null; readonly cause: string }> {
    let cause = 'not told';
    for (const share of waits) {
      if (!stop.aborted) await pause(withinMs * share, stop);
      if (stop.aborted) break;
      try {
        const bill = await orStopped(ask(stop), stop);
        if (bill) return { bill, cause };
      } catch (error) {
        cause = toAppError(error).code;
      }
    }
    return { bill: null, cause };
  }

  return {
    async learn(requestId, ask) {
      if (running.draining || open >= maxAtOnce) return null;
      open += 1;
      const stop = new Stop();
      const giveUp = () => stop.abort(new Error('there is no more time to ask for a bill'));
      const timer = setTimeout(giveUp, withinMs);
      const unlink = running.whenDraining(giveUp);
      try {
        const { bill, cause } = await learned(ask, stop);
        if (!bill) log({ event: 'provider_cost_unknown', request_id: requestId, cause });
        return bill;
      } finally {
        clearTimeout(timer);
        unlink();
        giveUp();
        open -= 1;
      }
    },
  };
}

const pause = (ms: number, stop: Stop): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      stop.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    stop.addEventListener('abort', end);
  });

/** Waits for a result, and rejects as soon as no time is left. */
const orStopped = <T>(asked: Promise<T>, stop: Stop): Promise<T> =>
  new Promise((resolve, reject) => {
    stop.addEventListener('abort', () => reject(stop.reason));
    asked.then(resolve, reject);
  });
