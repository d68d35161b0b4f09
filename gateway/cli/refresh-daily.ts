import type { KeyObject } from 'node:crypto';
import { toAppError } from '#shared/errors.ts';
import { dayMs } from '../ledger/period.ts';
import type { PriceOperator } from '../operations/prices/price-operator.ts';

/** Looks for newer prices at once and once a day, where an address was given; what is refused is logged and changes nothing. */
export function refreshDaily(
  operator: Pick<PriceOperator, 'refreshPrices'>,
  url: string | undefined,
  log: (entry: Readonly<Record<string, unknown>>) => void,
  publicKey?: KeyObject,
): () => void {
  if (!url) return () => {};
  const refresh = () =>
    operator.refreshPrices(url, publicKey).then(
      ({ source, asOf, added, refused }) => {
        log({ event: 'prices_refreshed', source, as_of: asOf, added: added.length, refused: refused.length });
        for (const { model, why } of refused) log({ event: 'price_not_believed', level: 'warn', model, message: why });
      },
      (error: unknown) => {
        const { code, message } = toAppError(error);
        log({ event: 'prices_not_refreshed', code, message });
      },
    );
  void refresh();
  const timer = setInterval(() => void refresh(), dayMs);
  timer.unref();
  return () => clearInterval(timer);
}
